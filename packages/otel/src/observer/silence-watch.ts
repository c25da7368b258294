/** Long enough for the first batch (5 s) and its first retries. */
const CHECK_AFTER_MS = 15_000;

/**
 * Says once, with the reason, that a turn ended and nothing was exported: an exporter that is silently wrong is found by
 * its user only when the traces are needed.
 */
export class SilenceWatch {
  readonly #reason: () => string | undefined;
  readonly #warn: (text: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #turnEnded = false;
  #done = false;

  /** `reason` gives why nothing was exported so far; `undefined` when something was. */
  constructor(reason: () => string | undefined, warn: (text: string) => void) {
    this.#reason = reason;
    this.#warn = warn;
  }

  turnEnded(): void {
    if (this.#turnEnded || this.#done) return;
    this.#turnEnded = true;
    this.#timer = setTimeout(() => this.check(), CHECK_AFTER_MS);
    this.#timer.unref();
  }

  /** Says it now, if it is so, and never later. */
  end(): void {
    this.check();
    this.#done = true;
  }

  check(): void {
    clearTimeout(this.#timer);
    if (this.#done || !this.#turnEnded) return;
    const reason = this.#reason();
    this.#done = true;
    if (reason === undefined) return;
    this.#warn(`A turn ended and no span of it was exported: ${reason.replace(/\.$/, '')}.`);
  }
}
