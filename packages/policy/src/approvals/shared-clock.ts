/** A clock that is set is noticed after so long at most. */
const LONGEST_MS = 60_000;
const SHORTEST_MS = 1;
const RETRY_MS = 1_000;

/**
 * One timer for all that wait: it fires at the next expiry, and at the next poll where there is one. It keeps the process alive
 * while somebody waits.
 */
export class SharedClock {
  readonly #tick: () => Promise<number | undefined>;
  readonly #isAwaited: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isTicking = false;
  #isStopped = false;

  /**
   * @param tick does what is due, and gives the time (Unix milliseconds) at which something is due next. One that rejects is tried
   * again a second later.
   * @param isAwaited whether somebody waits.
   */
  constructor(tick: () => Promise<number | undefined>, isAwaited: () => boolean) {
    this.#tick = tick;
    this.#isAwaited = isAwaited;
  }

  /** Something is due at `at`. */
  due(at: number): void {
    if (at < this.#dueAt && !this.#isTicking) this.#set(at);
    else this.#dueAt = Math.min(this.#dueAt, at);
    this.waitersChanged();
  }

  /** Who waits, or nobody any more. */
  waitersChanged(): void {
    if (this.#timer === undefined && this.#isAwaited() && !this.#isTicking) this.#set(this.#dueAt);
    if (this.#isAwaited()) this.#timer?.ref();
    else this.#timer?.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #set(at: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    const wait = Math.min(Math.max(at - Date.now(), SHORTEST_MS), LONGEST_MS);
    this.#timer = setTimeout(() => void this.#fire(), wait);
    if (!this.#isAwaited()) this.#timer.unref();
  }

  async #fire(): Promise<void> {
    this.#timer = undefined;
    this.#isTicking = true;
    this.#dueAt = Number.POSITIVE_INFINITY;
    let next: number | undefined;
    try {
      next = await this.#tick();
    } catch {
      next = Date.now() + RETRY_MS;
    } finally {
      this.#isTicking = false;
    }
    const at = Math.min(next ?? Number.POSITIVE_INFINITY, this.#dueAt);
    if (at < Number.POSITIVE_INFINITY || this.#isAwaited()) this.#set(at);
  }
}
