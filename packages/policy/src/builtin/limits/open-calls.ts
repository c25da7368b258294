const MOST = 10_000;
const OLD_MS = 60_000;

/** What was noted of calls that are not concluded or answered, by their decision id. The oldest are forgotten, as they stand. */
export class OpenCalls<T> {
  readonly #calls = new Map<string, { readonly value: T; readonly since: number }>();

  get(decisionId: string): T | undefined {
    return this.#calls.get(decisionId)?.value;
  }

  /** Throws where too many calls are open at once. */
  set(decisionId: string, value: T): void {
    const now = performance.now();
    if (this.#calls.size >= MOST) {
      const [oldest] = this.#calls;
      if (oldest === undefined || now - oldest[1].since < OLD_MS) throw new RangeError('too many calls at once');
      this.#calls.delete(oldest[0]);
    }
    this.#calls.set(decisionId, { value, since: now });
  }

  take(decisionId: string): T | undefined {
    const value = this.get(decisionId);
    this.#calls.delete(decisionId);
    return value;
  }
}
