import { LONGEST_TIMER_MS } from '../contract/time.js';
import { isThenable, settle } from './thenable.js';

/** What a call came to. */
export type Outcome = { ok: true; value: unknown } | { ok: false; kind: FailedAnswer; error: unknown };

/** Why a responder gave no answer. */
export type FailedAnswer = 'hook_error' | 'hook_timeout' | 'hook_aborted';

/**
 * Calls `run` and waits for what it returns, at most `timeoutMs` and until `signal` aborts. The timer keeps the process
 * alive: an agent that waits for nothing but a guard would end without an answer. What comes later is ignored, a
 * rejection included. Never rejects; a value that is no promise takes no timer.
 */
export function callWithin(
  run: () => unknown,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Outcome | Promise<Outcome> {
  try {
    if (signal?.aborted === true) return { ok: false, kind: 'hook_aborted', error: signal.reason };
    const returned = run();
    return isThenable(returned) ? waitFor(returned, timeoutMs, signal) : { ok: true, value: returned };
  } catch (error) {
    return { ok: false, kind: 'hook_error', error };
  }
}

function waitFor(answer: PromiseLike<unknown>, timeoutMs: number, signal: AbortSignal | undefined): Promise<Outcome> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer);
      resolve(outcome);
      try {
        signal?.removeEventListener('abort', onAbort);
      } catch {
        // A signal that is none.
      }
    };
    const onAbort = (): void => finish({ ok: false, kind: 'hook_aborted', error: signal?.reason });
    // Above it there is no limit.
    if (timeoutMs <= LONGEST_TIMER_MS) {
      timer = setTimeout(() => {
        finish({ ok: false, kind: 'hook_timeout', error: new Error(`no answer within ${timeoutMs} ms`) });
      }, timeoutMs);
    }
    settle(
      answer,
      (value) => finish({ ok: true, value }),
      (error) => finish({ ok: false, kind: 'hook_error', error }),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
