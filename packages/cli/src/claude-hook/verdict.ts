import { isDeepStrictEqual } from 'node:util';
import { type AnswerLine, UndecidedError, UnreachableError } from './ask.js';
import type { PolicySettings } from './policy-settings.js';

/** What the hook tells Claude Code about a call. */
export interface HookVerdict {
  /** Standard output; empty: nothing, so that Claude Code's own rules hold. */
  readonly output: string;
  /** What was decided here, without the service: the fields of an `observer_policy_decision`. */
  readonly own?: { readonly outcome: 'allow' | 'deny'; readonly kind: string };
}

const NOT_A_REFUSAL =
  'This is a fault of the setup and not a decision about the call. Do not try to do the same in another way; say that policy could not be asked.';
const NOT_IN_TIME = 'policy has not decided in time. Nobody agreed to this call, and nobody refused it: ask the user.';
const LONGEST_REASON = 4_000;

/** @param given the arguments that policy was asked about */
export function verdictOf(answer: AnswerLine, given: unknown, settings: PolicySettings): HookVerdict {
  const { decision, reason, kind, by, args, policy } = answer;
  if (decision === 'block') {
    const why = typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : 'no reason was given';
    return { output: deny(typeof kind === 'string' ? kind : 'denied', why) };
  }
  // Where nobody objects, nobody has decided either, unless the service says that it has a policy.
  const isUndecided = decision === 'allow' && Array.isArray(by) && by.length === 0 && typeof policy !== 'string';
  if (isUndecided) return failed(new UnreachableError('the service has no policy', false), settings);
  const isKnown = decision === 'allow' || decision === 'approve';
  if (!isKnown || typeof args !== 'object' || args === null) {
    return failed(new UndecidedError('it answered what this hook does not know', false), settings);
  }
  const isChanged = !isDeepStrictEqual(args, given);
  if (decision === 'approve') {
    const question = typeof reason === 'string' ? reason : 'policy asks for a person';
    if (!isChanged) return { output: decided('ask', question) };
    return failed(new UndecidedError('a person has to approve it with other arguments', false), settings);
  }
  if (!isChanged) return { output: '' };
  if (settings.rewrites === 'update')
    return { output: decided('allow', 'policy changed the arguments', { updatedInput: args }) };
  const wanted = JSON.stringify(args);
  const how =
    wanted.length > LONGEST_REASON / 2
      ? 'its arguments are not what policy lets run'
      : `make it anew with exactly ${wanted}`;
  return { output: deny('denied', `this call may not run as it is: ${how}`) };
}

/** For a question without an answer. */
export function failed(error: unknown, settings: PolicySettings): HookVerdict {
  if (error instanceof UnreachableError) {
    const kind = error.isLate ? 'hook_timeout' : 'hook_error';
    if (settings.unreachable === 'allow') return { output: '', own: { outcome: 'allow', kind } };
    return { output: deny(kind, `policy could not be asked. ${NOT_A_REFUSAL}`), own: { outcome: 'deny', kind } };
  }
  const isLate = error instanceof UndecidedError && error.isLate;
  const kind = isLate ? 'hook_timeout' : 'hook_error';
  const why = error instanceof UndecidedError ? error.message : NOT_A_REFUSAL;
  return {
    output: deny(kind, isLate ? NOT_IN_TIME : `policy cannot decide on it: ${why}`),
    own: { outcome: 'deny', kind },
  };
}

function deny(kind: string, reason: string): string {
  return decided('deny', `Blocked by policy (${kind.slice(0, 64)}): ${reason}`);
}

function decided(permissionDecision: 'allow' | 'deny' | 'ask', reason: string, more: object = {}): string {
  const permissionDecisionReason = reason.slice(0, LONGEST_REASON);
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason, ...more },
  });
}
