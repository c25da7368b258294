/** How far the time of a delivery may be from now. */
export const WINDOW_MILLIS = 5 * 60_000;
const MOST_DELIVERIES = 100_000;

export type Verdict = 'new' | 'repeated' | 'full';

/**
 * Which deliveries were taken: as long as their time is good, so that none is taken twice. At its bound it takes no new
 * ones, since forgetting one would let it in again.
 */
export class DeliveryWindow {
  /** When each may be forgotten, in Unix milliseconds. The oldest first. */
  readonly #until = new Map<string, number>();
  readonly #most: number;

  /** @param known those of before a restart, the ones to be forgotten first first. */
  constructor(most: number = MOST_DELIVERIES, known: Iterable<readonly [id: string, until: number]> = []) {
    this.#most = most;
    for (const [id, until] of known) this.#until.set(id, until);
  }

  /** When a delivery may be forgotten; 0 for one that is not known. */
  untilOf(id: string): number {
    return this.#until.get(id) ?? 0;
  }

  /** `time` and `now` are Unix milliseconds; `time` is within the window. */
  enter(id: string, time: number, now: number): Verdict {
    for (const [old, until] of this.#until) {
      if (until > now) break;
      this.#until.delete(old);
    }
    if (this.#until.has(id)) return 'repeated';
    if (this.#until.size >= this.#most) return 'full';
    // Counted from now, not from its time: so the map stays in order.
    this.#until.set(id, Math.max(time, now) + 2 * WINDOW_MILLIS);
    return 'new';
  }

  /** It was not taken after all, and may come again. */
  leave(id: string): void {
    this.#until.delete(id);
  }
}

export function isInWindow(time: number, now: number): boolean {
  return Math.abs(now - time) <= WINDOW_MILLIS;
}
