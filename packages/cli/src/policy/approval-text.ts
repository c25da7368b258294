import { visibleLine, visibleText } from '@hermes-observer/policy';

type Fields = Readonly<Record<string, unknown>>;

/** Requests as a list, one line each. */
export function pendingText(pending: readonly Fields[], total: number, now: number): string {
  if (pending.length === 0) return 'nothing waits for an answer\n';
  const lines = pending.map(
    ({ id, tool, title, createdAt, expiresAt }) =>
      `${String(id)}  ${visibleLine(String(tool))}  ${visibleLine(String(title))}  asked ${ago(now - Number(createdAt))} ago${
        expiresAt === null ? '' : `, ${ago(Number(expiresAt) - now)} left`
      }`,
  );
  const more = total > pending.length ? [`and ${total - pending.length} more`] : [];
  return `${[...lines, ...more].join('\n')}\n`;
}

/** One request with all of its arguments. */
export function approvalText(approval: Fields): string {
  const facts: (readonly [string, unknown])[] = [
    ['tool', approval.tool],
    ['why', approval.title],
    ['asked by', (approval.gates as readonly { readonly name: string }[]).map(({ name }) => name).join(', ')],
    ['agent', approval.agent],
    ['for', approval.user],
    ['session', approval.sessionId],
    ['state', approval.state],
    ['expires', approval.expiresAt === null ? 'never' : new Date(Number(approval.expiresAt)).toISOString()],
    ['approvers', (approval.approvers as readonly string[]).join(', ')],
    ['digest', approval.digest],
  ];
  const lines = facts
    .filter(([, value]) => value !== '' && value !== undefined)
    .map(([name, value]) => `${name.padEnd(10)} ${visibleLine(String(value))}`);
  const args = visibleText(JSON.stringify(JSON.parse(String(approval.args)), null, 2));
  return `${lines.join('\n')}\narguments\n${args}\n`;
}

/** What became of a request that nobody can answer any more: by whom, and when. */
export function endedText({ state, decider, decidedAt, expiresAt }: Fields): string {
  const { channel, id } = (decider ?? {}) as { readonly channel?: string; readonly id?: string };
  const who = channel === undefined ? '' : ` by ${channel}:${String(id)}`;
  const at = (time: unknown) => (typeof time === 'number' ? ` at ${new Date(time).toISOString()}` : '');
  switch (state) {
    case 'expired':
      return `nobody answered in time: it was over${at(expiresAt)}`;
    case 'cancelled':
      return 'already called off';
    case 'rejected':
      return visibleLine(`already rejected${who}${at(decidedAt)}`);
    default:
      return visibleLine(`already approved${who}${at(decidedAt)}`);
  }
}

export function rememberedText(entries: readonly Fields[]): string {
  if (entries.length === 0) return 'no answer is remembered\n';
  const lines = entries.map(({ id, scope, tool, gates, user, pattern, decider, expiresAt }) => {
    const { channel, id: who } = decider as { readonly channel: string; readonly id: string };
    const of = scope === 'pattern' ? ` ${JSON.stringify(pattern)}` : '';
    const whom = user === '' ? '' : ` for ${String(user)}`;
    return visibleLine(
      `${String(id)}  ${String(tool)}${whom}  ${String(scope)}${of}  of ${(gates as string[]).join(', ')}  by ${channel}:${who}  until ${new Date(Number(expiresAt)).toISOString()}`,
    );
  });
  return `${lines.join('\n')}\n`;
}

function ago(millis: number): string {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
