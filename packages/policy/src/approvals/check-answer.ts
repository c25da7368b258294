import { isSameSecret } from '../call/same-secret.js';
import { sha256 } from '../call/sha256.js';
import type { ChannelDecision } from '../channels/base-channel.js';
import { type Approval, type ApprovalState, placeOf } from './approval.js';
import { type IsRequester, mayDecide } from './may-decide.js';
import { faultOfWish } from './remembering.js';

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

const NOT_THIS = 'This answer does not belong to this request, or its message is an old one.';

/** Whether an answer comes from where the request was shown, with the token that was shown there. */
export function faultOfOrigin(approval: Approval, channel: string, answer: ChannelDecision): Refusal | undefined {
  const { tenant, chat, message } = answer.source;
  const isComplete = [tenant, chat, message].every((part) => typeof part === 'string');
  const place = placeOf({ channel, tenant, chat, message });
  const given = typeof answer.token === 'string' ? sha256(answer.token) : '';
  let hasToken = false;
  let isShownThere = false;
  const places = approval.messages.filter((shown) => shown.channel === channel).map(placeOf);
  for (const shown of new Set(places)) {
    const isHere = isSameSecret(shown, place) && isComplete;
    for (const hash of approval.tokenHashes[shown] ?? []) {
      const isSame = isSameSecret(given, hash);
      hasToken ||= isSame;
      isShownThere ||= isSame && isHere;
    }
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
