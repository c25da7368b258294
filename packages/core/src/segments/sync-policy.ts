/**
 * When appended records are synced to the disk, and with that, when an append is acknowledged:
 *
 * - `always`: at once. Appends that arrive while a sync runs share the next one.
 * - `interval`: at once, but never sooner than `syncMillis` after the sync before.
 * - `never`: not at all; the acknowledgement comes after the write. A crash of the process loses nothing, one of the
 *   machine may lose what was acknowledged.
 */
export type SyncPolicy = 'always' | 'interval' | 'never';

/** Says when a sync is due. */
export class SyncSchedule {
  readonly policy: SyncPolicy;
  readonly #millis: number;
  readonly #onDue: () => void;
  #dueAt = Number.POSITIVE_INFINITY;
  #lastSync = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(policy: SyncPolicy, millis: number, onDue: () => void) {
    this.policy = policy;
    this.#millis = millis;
    this.#onDue = onDue;
  }

  get isDue(): boolean {
    return performance.now() >= this.#dueAt;
  }

  /** Something was written that is not synced. */
  written(): void {
    if (this.policy === 'never' || this.#timer !== undefined) return;
    const now = performance.now();
    const wait = this.policy === 'always' ? 0 : this.#lastSync + this.#millis - now;
    if (wait <= 0) {
      this.#dueAt = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#dueAt = now + wait;
    // It keeps the process alive: somebody waits for the acknowledgement.
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.NEGATIVE_INFINITY;
      this.#onDue();
    }, wait);
  }

  /** All that was written is synced, or given up. */
  settled(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#lastSync = performance.now();
  }
}
