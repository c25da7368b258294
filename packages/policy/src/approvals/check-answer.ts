import type { ChannelDecision } from '../channels/base-channel.js';
import type { Approval, ApprovalState } from './approval.js';
import { type IsRequester, mayDecide } from './may-decide.js';
import { faultOfWish } from './remembering.js';
import { isSameSecret, sha256 } from './token.js';

/** An answer that was refused, by what was wrong with it. */
export type RefusalKind =
  | 'token'
  | 'source'
  | 'person'
  | 'expired'
  | 'state'
  | 'remember'
  | 'unknown'
  | 'store'
  | 'shape';

export interface Refusal {
  readonly kind: RefusalKind;
  /** For the person to read. Says of a token and a source no more than that they do not fit. */
  readonly text: string;
}

/** No hash is this: what has no token at all is compared like the others. */
const NO_HASH = '-'.repeat(64);

const NOT_THIS = 'This answer does not belong to this request, or its message is an old one.';

/** Whether an answer comes from where the request was shown, with the token that was shown there. */
export function faultOfOrigin(approval: Approval, channel: string, answer: ChannelDecision): Refusal | undefined {
  const { tokenHashes, messages } = approval;
  const hash = Object.hasOwn(tokenHashes, channel) ? tokenHashes[channel] : NO_HASH;
  const hasToken = isSameSecret(typeof answer.token === 'string' ? sha256(answer.token) : '', hash);
  const { tenant, chat, message } = answer.source;
  const isComplete = [tenant, chat, message].every((part) => typeof part === 'string');
  const source = JSON.stringify([tenant, chat, message]);
  let isShownThere = false;
  for (const shown of messages) {
    if (shown.channel !== channel) continue;
    const isSame = isSameSecret(JSON.stringify([shown.tenant, shown.chat, shown.message]), source);
    isShownThere ||= isSame && isComplete;
  }
  if (!hasToken) return { kind: 'token', text: NOT_THIS };
  return isShownThere ? undefined : { kind: 'source', text: NOT_THIS };
}

/** All that has to hold beside where an answer comes from. */
export function faultOfAnswer(
  approval: Approval,
  { choice, decider, remember }: Pick<ChannelDecision, 'choice' | 'decider' | 'remember'>,
  now: number,
  isRequester: IsRequester,
): Refusal | undefined {
  if (choice !== 'approve' && choice !== 'reject') return { kind: 'shape', text: 'It is neither approve nor reject.' };
  const person = mayDecide(approval, decider, choice, isRequester);
  if (person !== undefined) return { kind: 'person', text: person };
  if (approval.state !== 'pending') return { kind: 'state', text: standingOf(approval) };
  if (approval.expiresAt !== null && approval.expiresAt <= now) {
    return { kind: 'expired', text: standingOf({ ...approval, state: 'expired' }) };
  }
  const wish = choice === 'approve' && remember !== undefined ? faultOfWish(approval, remember) : undefined;
  return wish === undefined ? undefined : { kind: 'remember', text: `${wish} Nothing was decided.` };
}

const STANDING: Readonly<Record<ApprovalState, string>> = {
  pending: 'It waits for an answer.',
  approved: 'It was approved already',
  rejected: 'It was rejected already',
  expired: 'Its time is over: it counts as not approved.',
  cancelled: 'It was called off.',
  executing: 'It was approved already',
  executed: 'It was approved already',
  outcome_unknown: 'It was approved already',
};

/** What became of a request, for whoever came too late. */
export function standingOf({ state, decider }: Approval): string {
  const text = STANDING[state];
  if (text.endsWith('.')) return text;
  return decider === null ? `${text}.` : `${text} by ${decider.channel}:${decider.id}.`;
}
