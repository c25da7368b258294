import { type Approval, type ApprovalState, type MessageRef, placeOf } from '../approvals/approval.js';
import type { Transition } from './approval-store.js';

/** Nothing changes any more, but for `outcome_unknown`: its own process may still say that it has run. */
export const FINISHED: readonly ApprovalState[] = ['rejected', 'expired', 'cancelled', 'executed', 'outcome_unknown'];

/** Whether the clock forbids it: what has expired is not decided, whatever its state says. */
export function isTooLate(approval: Approval, to: ApprovalState, at: number): boolean {
  const decides = to === 'approved' || to === 'rejected';
  return decides && approval.expiresAt !== null && approval.expiresAt <= at;
}

/** The approval in its new state. What `to` does not concern stays as it was. */
export function moved(approval: Approval, to: ApprovalState, change: Transition): Approval {
  const { at, decider, comment, owner } = change;
  switch (to) {
    case 'executing':
      return { ...approval, state: to, executingAt: at, owner: owner ?? '' };
    case 'executed':
    case 'outcome_unknown':
      return { ...approval, state: to, settledAt: at };
    default:
      return { ...approval, state: to, decidedAt: at, decider: decider ?? null, comment: comment ?? '' };
  }
}

/** Tokens of a place that count: those of the last times that it was shown there. */
const MOST_TOKENS = 16;

export function withToken(before: Approval['tokenHashes'], ref: MessageRef, hash: string): Approval['tokenHashes'] {
  const place = placeOf(ref);
  return { ...before, [place]: (before[place] ?? []).concat([hash]).slice(-MOST_TOKENS) };
}

/** The approval as shown in one more place. */
export function withMessage(approval: Approval, ref: MessageRef, tokenHash: string): Approval {
  return {
    ...approval,
    tokenHashes: withToken(approval.tokenHashes, ref, tokenHash),
    // Unlike `[...messages, ref]`, which leaves room for 16 more.
    messages: approval.messages.concat([ref]),
  };
}
