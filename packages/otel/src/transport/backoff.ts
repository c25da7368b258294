const FACTOR = 1.7;
/** Several processes must not come back at one moment. */
const JITTER = 0.2;

/** How long to wait before the next try: longer each time, or as long as the receiver says. */
export class Backoff {
  readonly #first: number;
  readonly #most: number;
  #next: number;

  /** In milliseconds. */
  constructor(first = 500, most = 60_000) {
    this.#first = first;
    this.#most = most;
    this.#next = first;
  }

  /** In milliseconds; `asked` is what the receiver wants. */
  wait(asked: number | undefined): number {
    const own = this.#next * (1 + JITTER * (2 * Math.random() - 1));
    this.#next = Math.min(this.#next * FACTOR, this.#most);
    return asked === undefined ? own : Math.max(asked, this.#first);
  }

  reset(): void {
    this.#next = this.#first;
  }
}
