/** A map of so many entries, and of so much weight in all: the oldest go first. What is heavier than all of it is not kept. */
export class RecentMap<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly weight: number }>();
  readonly #most: number;
  readonly #mostWeight: number;
  #weight = 0;

  constructor(most: number, mostWeight: number) {
    this.#most = most;
    this.#mostWeight = mostWeight;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: T, weight: number): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#weight <= this.#mostWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}

/** About how many characters a value of JSON has. Of anything else, nobody knows. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 16;
  if (Array.isArray(value)) {
    for (const item of value) weight += weightOf(item);
    return weight;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return weight;
  for (const [key, item] of Object.entries(value)) weight += key.length + weightOf(item);
  return weight;
}
