import { LONGEST_TIMER_MS } from '@hermes-observer/core';

type GaveUp = 'cancelled' | 'pending';

/** Who waits for people: when a policy is closed, all of them wait no more. */
export class WaitingRoom {
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  /** How long one caller waits: until its signal aborts, its time is over, it leaves, or the room is closed. */
  enter(caller: AbortSignal | undefined, deadlineMs: number, leave?: AbortSignal): Patience {
    return new Patience(caller, deadlineMs, leave, (close) => {
      if (this.#isClosed) close();
      this.#waiting.add(close);
      return () => this.#waiting.delete(close);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const close of this.#waiting) close();
  }
}

export class Patience {
  /** Why the wait ended: the caller called the question off, or will ask again. */
  gaveUp: GaveUp | undefined;
  readonly #controller = new AbortController();
  readonly #end: () => void;

  /** @internal */
  constructor(
    caller: AbortSignal | undefined,
    deadlineMs: number,
    left: AbortSignal | undefined,
    onClose: (close: () => void) => () => void,
  ) {
    const stop = (why: GaveUp) => {
      this.gaveUp ??= why;
      this.#controller.abort(new DOMException('No longer waited for', 'AbortError'));
    };
    const onAbort = () => stop('cancelled');
    const onTime = () => stop('pending');
    if (caller?.aborted === true) onAbort();
    caller?.addEventListener('abort', onAbort, { once: true });
    if (left?.aborted === true) onTime();
    left?.addEventListener('abort', onTime, { once: true });
    const leave = onClose(onTime);
    const timer = deadlineMs <= LONGEST_TIMER_MS ? setTimeout(onTime, Math.max(0, deadlineMs)) : undefined;
    this.#end = () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
      left?.removeEventListener('abort', onTime);
      leave();
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    this.#end();
  }
}
