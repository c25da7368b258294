import { isPromise } from 'node:util/types';

/** Whether a callback returned something to wait for. May throw where reading `then` does. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return isPromise(value) || typeof (value as { then?: unknown }).then === 'function';
}

/**
 * Waits for what a callback returned. A promise is followed by the language's own means: its `then` or `catch` may be
 * anybody's, and a rejection that nobody follows ends the process. The handlers must not throw.
 */
export function settle(
  value: PromiseLike<unknown>,
  onValue: ((value: unknown) => void) | undefined,
  onError: (error: unknown) => void,
): void {
  try {
    const promise = isPromise(value) ? value : new Promise<unknown>((resolve) => resolve(value));
    Promise.prototype.then.call(promise, onValue, onError);
  } catch (error) {
    // The `constructor` of a promise can throw too.
    onError(error);
  }
}
