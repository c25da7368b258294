import { callWithin } from '@hermes-observer/core';
import type { Caller } from './compile-matcher.js';
import type { HookContext } from './hook.js';
import type { Candidate } from './hook-table.js';
import { type ReadAnswer, readAnswer } from './read-answer.js';
import type { RegisteredHook } from './registered-hook.js';

/** What became of asking one hook. */
export type HookOutcome =
  /** The call is none of its business: nothing to report. */
  | { readonly kind: 'unmatched' }
  | { readonly kind: 'exempt' }
  | { readonly kind: 'answered'; readonly answer: ReadAnswer }
  | HookFailure;

export interface HookFailure {
  readonly kind: 'hook_error' | 'hook_timeout' | 'cancelled';
  /** For a log. May quote what the hook was given. */
  readonly error: unknown;
}

const UNMATCHED: HookOutcome = { kind: 'unmatched' };
const EXEMPT: HookOutcome = { kind: 'exempt' };

/**
 * Asks one hook, within its time limit. Never rejects, and answers at once where the hook does: a promise for each of many
 * would cost more than they do.
 */
export function runHook(
  { hook, fails }: Candidate,
  caller: Caller,
  context: HookContext,
): HookOutcome | Promise<HookOutcome> {
  try {
    if (fails !== undefined) throw fails;
    if (hook.matcher.caller?.(caller) === false || hook.matcher.args?.(context.args) === false) return UNMATCHED;
    if (isExempt(hook, caller)) return EXEMPT;
    if (hook.shouldTrigger !== undefined) {
      const triggers: unknown = hook.shouldTrigger(context);
      if (typeof triggers !== 'boolean') throw new TypeError('`shouldTrigger` gave neither true nor false');
      if (!triggers) return UNMATCHED;
    }
  } catch (error) {
    return { kind: 'hook_error', error };
  }
  const called = callWithin(() => hook.execute(context), hook.timeoutMs, context.signal);
  return called instanceof Promise
    ? called.then((outcome) => readOutcome(outcome, context), failed)
    : readOutcome(called, context);
}

/** A signal that cannot be listened to. */
const failed = (error: unknown): HookOutcome => ({ kind: 'hook_error', error });

/** An exemption is for the child that calls, not for those that it starts. */
function isExempt({ exemptRoles }: RegisteredHook, { childRoles }: Caller): boolean {
  const role = childRoles?.[0];
  return role !== undefined && role !== '' && exemptRoles.has(role);
}

type Called = Awaited<ReturnType<typeof callWithin>>;

function readOutcome(outcome: Called, { event }: HookContext): HookOutcome {
  if (!outcome.ok) return failureOf(outcome);
  try {
    return { kind: 'answered', answer: readAnswer(outcome.value, event) };
  } catch (error) {
    return { kind: 'hook_error', error };
  }
}

const failureOf = ({ kind, error }: Exclude<Called, { ok: true }>): HookFailure => ({
  kind: kind === 'hook_aborted' ? 'cancelled' : kind,
  error,
});

/** Tells a hook something that it must have taken note of, also of a call that was called off. `undefined`: it has. */
export async function tellHook(
  hook: RegisteredHook,
  tell: (() => void | Promise<void>) | undefined,
): Promise<HookFailure | undefined> {
  if (tell === undefined) return undefined;
  const outcome = await callWithin(tell, hook.timeoutMs, undefined);
  return outcome.ok ? undefined : failureOf(outcome);
}
