/** Bytes that many share. Who takes some gives them back. */
export class MemoryBudget {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  get held(): number {
    return this.#held;
  }

  get isSpent(): boolean {
    return this.#held >= this.#limit;
  }

  add(bytes: number): void {
    this.#held += bytes;
  }

  /** Tells all who wait once there is room again. They may wait anew. */
  give(bytes: number): void {
    this.#held -= bytes;
    if (this.#waiting.size === 0 || this.isSpent) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const tell of waiting) tell();
  }

  /** `tell` is called once, when there is room. */
  whenRoom(tell: () => void): void {
    this.#waiting.add(tell);
  }

  forget(tell: () => void): void {
    this.#waiting.delete(tell);
  }
}
