import { createHmac } from 'node:crypto';
import type { ApprovalCard, CallbackRequest } from '../base-channel.js';
import { type Answer, callback, type Got, LocalServer } from '../scene.test-support.js';

type Block = { type: string; elements?: Block[]; text?: unknown; value?: string; action_id?: string };

/** Slack's Web API as far as it is used, with the limits that Slack has. */
export class SlackServer {
  readonly #server = new LocalServer((got) => this.#answer(got));
  readonly calls: { method: string; fields: Record<string, unknown> }[] = [];
  /** Answers to come, before the usual ones. */
  readonly next: Answer[] = [];
  /** Until then messages do not change. */
  hold: Promise<void> | undefined;
  #ts = 0;

  async open(): Promise<string> {
    return `${await this.#server.open()}/api`;
  }

  close(): void {
    this.#server.close();
  }

  callsOf(method: string): Record<string, unknown>[] {
    return this.calls.filter((call) => call.method === method).map(({ fields }) => fields);
  }

  get lastBlocks(): Block[] {
    return this.calls.findLast(({ fields }) => fields.blocks !== undefined)?.fields.blocks as Block[];
  }

  async #answer({ path, headers, text }: Got): Promise<Answer> {
    const next = this.next.shift();
    if (next !== undefined) return next;
    const method = path.replace('/api/', '');
    if (headers.authorization !== 'Bearer xoxb-test') return { body: { ok: false, error: 'invalid_auth' } };
    const fields = JSON.parse(text) as Record<string, unknown>;
    this.calls.push({ method, fields });
    if (method === 'auth.test') return { body: { ok: true, team_id: 'T01', user_id: 'U0BOT' } };
    if (method === 'chat.postEphemeral') return { body: { ok: true, message_ts: '1.1' } };
    const fault = faultOf(fields.blocks as Block[]);
    if (fault !== undefined) return { body: { ok: false, error: fault } };
    if (method === 'chat.update') await this.hold;
    if (method === 'chat.update') return { body: { ok: true, channel: fields.channel, ts: fields.ts } };
    this.#ts++;
    const ts = `1790000000.00000${this.#ts}`;
    return { body: { ok: true, channel: fields.channel, ts, message: { ts } } };
  }
}

/** What Slack refuses a message for. */
function faultOf(blocks: Block[]): string | undefined {
  if (!Array.isArray(blocks) || blocks.length > 50) return 'invalid_blocks';
  if (JSON.stringify(blocks).length > 13_000) return 'msg_blocks_too_long';
  for (const text of textsOf(blocks)) if (text === '' || text.length > 3000) return 'invalid_blocks';
  return undefined;
}

export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : textsOf(inner),
  );
}

export interface Click {
  readonly card: ApprovalCard;
  readonly ts: string;
  readonly value?: string;
  readonly user?: string;
  readonly userTeam?: string;
  readonly team?: string;
  readonly channel?: string;
  readonly extra?: Record<string, unknown>;
}

/** The payload of a click on a button of a message, as Slack sends it. */
export function clickPayload({
  card,
  ts,
  value,
  user = 'U0ADA',
  userTeam = 'T01',
  team = 'T01',
  channel = 'C0PAY',
  extra,
}: Click) {
  return {
    type: 'block_actions',
    user: { id: user, username: 'ada', name: 'ada', team_id: userTeam },
    api_app_id: 'A0APP',
    token: 'deprecated',
    container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
    trigger_id: '12466734323.1395872398',
    team: { id: team, domain: 'example' },
    channel: { id: channel, name: 'payments' },
    message: { type: 'message', ts, text: 'Approval needed' },
    response_url: 'https://hooks.slack.com/actions/T01/1/x',
    actions: [
      {
        type: 'button',
        action_id: 'hermes_approve',
        block_id: 'b',
        value: value ?? `approve.${card.approval.id}.${card.token}.0`,
        action_ts: '1790000001.000001',
      },
    ],
    ...extra,
  };
}

export function formOf(payload: unknown): string {
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** Signs as Slack does. `now`: Unix milliseconds. */
export function signedBySlack(body: string, secret: string, now: number): CallbackRequest {
  const time = String(Math.floor(now / 1000));
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`;
  return callback(body, {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': time,
    'x-slack-signature': signature,
  });
}
