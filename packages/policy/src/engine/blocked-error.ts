import { ObserverError } from '@hermes-observer/core';
import type { Blocked } from './verdict.js';

/** A call of `policy.run` that may not run, or whose result may not be passed on. `code` is `HO_POLICY_BLOCKED`. */
export class PolicyBlockedError extends ObserverError {
  readonly tool: string;
  /** What the model gets to read. */
  readonly reason: string;
  readonly verdict: Blocked;
  /** The call has run; it is its result that is withheld. */
  readonly ran: boolean;

  constructor(tool: string, verdict: Blocked, ran: boolean) {
    super('HO_POLICY_BLOCKED', `The ${ran ? 'result of ' : 'call of '}${tool} was blocked: ${verdict.reason}`);
    this.name = 'PolicyBlockedError';
    this.tool = tool;
    this.reason = verdict.reason;
    this.verdict = verdict;
    this.ran = ran;
  }
}
