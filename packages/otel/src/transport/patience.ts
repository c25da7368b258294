import { setTimeout as sleep } from 'node:timers/promises';

/** Where nobody is met at the end of a program. A receiver that is just restarted may be back by then. */
const LAST_TRIES_MS = 500;
/** Where somebody is met who asks for time. */
const LAST_ANSWERS_MS = 2_000;

/** How long requests are tried again while the receiver is away or busy: less, once the end of the program is near. */
export class Patience {
  readonly #millis: number;
  readonly #keepsAlive: boolean;
  #hurried = new AbortController();
  #hurriedAt = Number.NEGATIVE_INFINITY;
  #hurriedUntil = Number.NEGATIVE_INFINITY;

  /** @param keepsAlive whether a pause keeps the program from its end */
  constructor(millis: number, keepsAlive: boolean) {
    this.#millis = millis;
    this.#keepsAlive = keepsAlive;
  }

  /** Ends pauses, and has requests that begin in the next `millis` tried again for a moment alone. */
  hurry(millis = Number.POSITIVE_INFINITY): void {
    this.#hurriedAt = performance.now();
    this.#hurriedUntil = Math.max(this.#hurriedUntil, this.#hurriedAt + millis);
    this.#hurried.abort();
    this.#hurried = new AbortController();
  }

  /** When a request that began at `begun` is given up. */
  end(begun: number, isBusy: boolean): number {
    const end = begun + this.#millis;
    if (begun >= this.#hurriedUntil) return end;
    return Math.min(end, this.#hurriedAt + (isBusy ? LAST_ANSWERS_MS : LAST_TRIES_MS));
  }

  async pause(millis: number, closing: AbortSignal): Promise<void> {
    const isHurried = performance.now() < this.#hurriedUntil;
    const signal = isHurried ? closing : this.#hurried.signal;
    await sleep(millis, undefined, { signal, ref: this.#keepsAlive }).catch(() => undefined);
  }
}
