const MINUTE_MS = 60_000;

interface Told {
  readonly count: number;
  readonly at: number;
}

/** Tells of counts that grew: at once the first time, then once a minute a kind, with the number since. */
export class LossReport {
  readonly #told = new Map<string, Told>();
  readonly #tell: (text: string) => void;
  readonly #clock: () => number;

  /** `clock` in milliseconds. */
  constructor(tell: (text: string) => void, clock: () => number = () => performance.now()) {
    this.#tell = tell;
    this.#clock = clock;
  }

  /**
   * @param say makes the text, of the number since it was last told
   * @param isLast there is no later time: what was not told yet is told now
   */
  look(kind: string, count: number, say: (since: number) => string, isLast = false): void {
    const told = this.#told.get(kind);
    const since = count - (told?.count ?? 0);
    const now = this.#clock();
    if (since <= 0 || (told !== undefined && !isLast && now - told.at < MINUTE_MS)) return;
    this.#told.set(kind, { count, at: now });
    this.#tell(say(since));
  }
}
