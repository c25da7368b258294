/** Values in one piece of content that are copied; what has more is told at once instead. */
const MOST_VALUES = 100;
const MOST_LEVELS = 8;

/** Content as it was when it was told of: the agent may change its objects before the record is made. */
export interface HeldContent {
  readonly value: unknown;
  /** It is no copy: the record is to be made before the agent goes on. */
  readonly isLive: boolean;
}

/** Plain data of a modest size is copied, all else left as it is. */
export function hold(value: unknown): HeldContent {
  if (typeof value !== 'object' || value === null) return { value, isLive: false };
  const copier = new PlainCopier();
  try {
    const copy = copier.copy(value, 0);
    if (copier.isGood) return { value: copy, isLive: false };
  } catch {
    // Of a value that throws when it is read, others make what can be made.
  }
  return { value, isLive: true };
}

class PlainCopier {
  isGood = true;
  #left = MOST_VALUES;

  copy(value: unknown, level: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (!this.isGood || level >= MOST_LEVELS) return this.#refuse();
    if (Array.isArray(value)) {
      this.#left -= value.length;
      if (this.#left < 0) return this.#refuse();
      return value.map((item) => this.copy(item, level + 1));
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    // What classes mean to show of themselves is for others to know.
    if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return this.#refuse();
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      // A getter is code of the program: whoever records content calls it, and nobody else.
      if (key === '__proto__' || --this.#left < 0 || property === undefined || !('value' in property))
        return this.#refuse();
      copy[key] = this.copy(property.value, level + 1);
    }
    return copy;
  }

  #refuse(): undefined {
    this.isGood = false;
    return undefined;
  }
}
