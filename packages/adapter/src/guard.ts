/** Where warnings go. */
export type Warn = (text: string) => void;

/** Faults an adapter tells of: each text once, and no more of them than this. */
const MOST_TEXTS = 50;

/**
 * Keeps an adapter's own faults inside the adapter: whatever runs in `safely` reaches neither the framework nor the
 * program. Each fault is counted, and told once.
 */
export class Guard {
  readonly #name: string;
  readonly #warn: Warn;
  readonly #told = new Set<string>();
  /** Faults so far. */
  failures = 0;

  /** @param warn @default process.emitWarning */
  constructor(name: string, warn?: Warn) {
    this.#name = name;
    this.#warn = warn ?? ((text) => process.emitWarning(text, { type: 'HermesObserver' }));
  }

  /** What `fn` gives; `undefined` where it throws. Never throws. */
  safely<T>(fn: () => T): T | undefined {
    try {
      return fn();
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  /** Counts a fault of the adapter. Never throws. */
  note(error: unknown): void {
    this.failures++;
    let reason = 'unknown error';
    try {
      reason = String(error);
    } catch {
      // What cannot be told stays untold.
    }
    this.tell(`failed inside, and goes on: ${reason}`);
  }

  /** Tells the user something, once. Never throws. */
  tell(text: string): void {
    if (this.#told.has(text) || this.#told.size >= MOST_TEXTS) return;
    this.#told.add(text);
    try {
      this.#warn(`${this.#name}: ${text}`);
    } catch {
      // Whoever is told of a fault may not become one.
    }
  }
}
