const nothing = () => {};

/** What an agent passed as a signal, if it is one that can be listened to. */
export function signalOf(value: unknown): AbortSignal | undefined {
  try {
    const signal = value as AbortSignal | null | undefined;
    if (typeof signal?.aborted !== 'boolean') return undefined;
    // One of another making, such as a polyfill's, may be half of one.
    if (!(value instanceof AbortSignal)) {
      signal.addEventListener('abort', nothing);
      signal.removeEventListener('abort', nothing);
    }
    return signal;
  } catch {
    return undefined;
  }
}

/** The signal that aborts when either does. */
export function eitherSignal(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  if (a === undefined || a === b) return b;
  return b === undefined ? a : AbortSignal.any([a, b]);
}

export const ABORTED = Symbol('aborted');

/** What `work` comes to, or `ABORTED` as soon as the signal aborts. What comes later is ignored, a rejection included. */
export function unlessAborted<T>(work: () => T | PromiseLike<T>, signal: AbortSignal | undefined) {
  return new Promise<T | typeof ABORTED>((resolve, reject) => {
    if (signal?.aborted === true) {
      resolve(ABORTED);
      return;
    }
    const onAbort = () => resolve(ABORTED);
    signal?.addEventListener('abort', onAbort, { once: true });
    new Promise<T>((settled) => settled(work()))
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', onAbort));
  });
}
