import type { Payload } from '../contract/record.js';
import { openInquiry } from './directives.js';
import type { FailureLog } from './failures.js';
import type { Inquiry, Taken } from './inquiry.js';
import type { Registration } from './registration.js';
import { callWithin, type Outcome } from './time-limit.js';

export interface AskOptions {
  /** Milliseconds each responder has for its answer, unless it was registered with its own. `Infinity`: no limit. @default 30000 */
  timeoutMs?: number | undefined;
  /** Ends the question: guards then block, other hooks keep what was answered so far. */
  signal?: AbortSignal | undefined;
}

/** What a responder gets beside the payload. */
export interface AskContext {
  hook: string;
  /** The asker's signal. */
  signal: AbortSignal | undefined;
  /** Milliseconds that the asker gives each responder; one with a limit of its own has that instead. */
  timeoutMs: number;
}

export type ResponderCallback = (payload: Payload, context: AskContext) => unknown;
export type Responder = Registration<ResponderCallback>;

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const UNREADABLE: Payload = Object.freeze({});

/** Asks one responder after the other. Never rejects. */
export async function runInquiry(
  hook: string,
  payload: Payload,
  responders: readonly Responder[],
  options: AskOptions | undefined,
  failures: FailureLog,
): Promise<unknown> {
  let inquiry: Inquiry<unknown>;
  try {
    inquiry = openInquiry(hook, payload ?? UNREADABLE);
  } catch (error) {
    failures.add('payload', hook, '', error);
    inquiry = openInquiry(hook, UNREADABLE);
    // A guard cannot decide on what cannot be read.
    inquiry.fail('hook_error', 'hub', error);
    return inquiry.result();
  }
  if (responders.length === 0) return inquiry.result();
  let limits: Limits;
  try {
    limits = { signal: options?.signal, timeoutMs: timeLimit(options?.timeoutMs) };
  } catch (error) {
    failures.add('payload', hook, '', error);
    // Nobody knows how long the answer may take, or whether the question was called off.
    inquiry.fail('hook_error', 'hub', error);
    return inquiry.result();
  }
  do {
    for (const responder of responders) {
      const taken = await askOne(inquiry, responder, limits, failures);
      if (taken === 'decided') return inquiry.result();
    }
  } while (inquiry.again?.() === true);
  return inquiry.result();
}

async function askOne(
  inquiry: Inquiry<unknown>,
  responder: Responder,
  { timeoutMs, signal }: Limits,
  failures: FailureLog,
): Promise<Taken> {
  const { hook, name, callback } = responder;
  let outcome: Outcome;
  try {
    const limit = responder.timeoutMs ?? timeoutMs;
    outcome = await callWithin(() => callback(inquiry.payload(), { hook, signal, timeoutMs }), limit, signal);
  } catch (error) {
    // A signal that is none.
    outcome = { ok: false, kind: 'hook_error', error };
  }
  if (!outcome.ok) {
    failures.add('responder', hook, name, outcome.error);
    return inquiry.fail(outcome.kind, name, outcome.error);
  }
  const answer = outcome.value;
  if (answer === undefined || answer === null) return 'next';
  try {
    const taken = inquiry.take(answer, name);
    if (taken !== 'malformed') return taken;
    failures.add('directive', hook, name, new TypeError('an answer of no known shape'));
    return inquiry.refuse?.(name) ?? taken;
  } catch (error) {
    failures.add('responder', hook, name, error);
    return inquiry.fail('hook_error', name, error);
  }
}

function timeLimit(given: number | undefined): number {
  return typeof given === 'number' && given >= 0 ? given : DEFAULT_TIMEOUT_MS;
}
