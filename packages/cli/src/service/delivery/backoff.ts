const FIRST_MILLIS = 500;
const MOST_MILLIS = 60_000;
const FACTOR = 1.7;
/** Several services must not come back at one moment. */
const JITTER = 0.2;

/** How long to wait before the next try: longer each time, or as long as the receiver says. */
export class Backoff {
  #next = FIRST_MILLIS;

  /** In milliseconds. */
  wait(asked: number | undefined): number {
    const own = this.#next * (1 + JITTER * (2 * Math.random() - 1));
    this.#next = Math.min(this.#next * FACTOR, MOST_MILLIS);
    return asked === undefined ? own : Math.max(asked, FIRST_MILLIS);
  }

  reset(): void {
    this.#next = FIRST_MILLIS;
  }
}
