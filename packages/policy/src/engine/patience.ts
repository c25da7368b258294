import { LONGEST_TIMER_MS } from '@hermes-observer/core';

/** How long a caller waits for a person: until its signal aborts, its time is over, or the policy is closed. */
export class Patience {
  /** Why the wait ended: the caller called the question off, or will ask again. */
  gaveUp: 'cancelled' | 'pending' | undefined;
  readonly #controller = new AbortController();
  readonly #end: () => void;

  constructor(caller: AbortSignal | undefined, deadlineMs: number, closing: AbortSignal) {
    const stop = (why: 'cancelled' | 'pending') => () => {
      this.gaveUp ??= why;
      this.#controller.abort(new DOMException('No longer waited for', 'AbortError'));
    };
    const onAbort = stop('cancelled');
    const onClose = stop('pending');
    if (caller?.aborted === true) onAbort();
    if (closing.aborted) onClose();
    caller?.addEventListener('abort', onAbort, { once: true });
    closing.addEventListener('abort', onClose, { once: true });
    const timer = deadlineMs <= LONGEST_TIMER_MS ? setTimeout(stop('pending'), Math.max(0, deadlineMs)) : undefined;
    this.#end = () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
      closing.removeEventListener('abort', onClose);
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    this.#end();
  }
}
