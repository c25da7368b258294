/** What is kept of a producer's numbers: ranges seen, how many numbers that were, and the first of all. */
export interface SavedNumbers {
  readonly producer: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly count: number;
  readonly first: number;
}

/** Ranges of numbers seen, as `[first, last]` pairs in rising order; a producer without loss has one. */
class SeenNumbers {
  readonly #ranges: [number, number][] = [];
  /** How many numbers the last new one skipped. */
  skipped = 0;
  static readonly #maxRanges = 1024;
  #count = 0;
  #first = Number.MAX_SAFE_INTEGER;

  /** False when `n` had been seen. */
  add(n: number): boolean {
    const ranges = this.#ranges;
    const newest = ranges[ranges.length - 1];
    if (newest !== undefined && n === newest[1] + 1) {
      newest[1] = n;
      this.#count++;
      this.skipped = 0;
      return true;
    }
    this.skipped = newest === undefined ? 0 : Math.max(0, n - newest[1] - 1);
    if (newest === undefined || n > newest[1] + 1) ranges.push([n, n]);
    else if (!this.#addOld(n)) return false;
    this.#count++;
    if (n < this.#first) this.#first = n;
    // So many gaps: the oldest range is let go of. A record of it that comes again is taken as new rather than lost.
    if (ranges.length > SeenNumbers.#maxRanges) ranges.shift();
    return true;
  }

  #addOld(n: number): boolean {
    const ranges = this.#ranges;
    let i = ranges.length - 1;
    while (i >= 0 && n < (ranges[i]?.[0] ?? 0)) i--;
    const below = ranges[i];
    const above = ranges[i + 1];
    if (below !== undefined && n <= below[1]) return false;
    const joinsBelow = below !== undefined && n === below[1] + 1;
    const joinsAbove = above !== undefined && n === above[0] - 1;
    if (joinsBelow && joinsAbove) {
      below[1] = above[1];
      ranges.splice(i + 1, 1);
    } else if (joinsBelow) below[1] = n;
    else if (joinsAbove) above[0] = n;
    else ranges.splice(i + 1, 0, [n, n]);
    return true;
  }

  /** Takes back that a number was seen. */
  remove(n: number): void {
    const ranges = this.#ranges;
    const at = ranges.findLastIndex(([first, last]) => first <= n && n <= last);
    const range = ranges[at];
    if (range === undefined) return;
    const [first, last] = range;
    const left: [number, number][] = [];
    if (first < n) left.push([first, n - 1]);
    if (n < last) left.push([n + 1, last]);
    ranges.splice(at, 1, ...left);
    this.#count--;
  }

  save(producer: string): SavedNumbers {
    const ranges = this.#ranges.map(([first, last]): [number, number] => [first, last]);
    return { producer, ranges, count: this.#count, first: this.#first };
  }

  static restore({ ranges, count, first }: SavedNumbers): SeenNumbers {
    const seen = new SeenNumbers();
    seen.#ranges.push(...ranges.map(([from, to]): [number, number] => [from, to]));
    seen.#count = count;
    seen.#first = first;
    return seen;
  }

  /** Numbers between the first and the last that were not seen. */
  get missing(): number {
    const newest = this.#ranges[this.#ranges.length - 1];
    return newest === undefined ? 0 : Math.max(0, newest[1] - this.#first + 1 - this.#count);
  }
}

/**
 * Sequence numbers by producer. (producer, seq) identifies a record: the same pair again is a duplicate. Order is that
 * of arrival; numbers serve only to find duplicates and gaps.
 */
export class SequenceIndex {
  readonly #producers = new Map<string, SeenNumbers>();
  readonly #maxProducers: number;
  #lastProducer: string | undefined = undefined;
  #lastSeen: SeenNumbers | undefined = undefined;
  #missingOfForgotten = 0;
  /** Producers let go of: a record of theirs that comes again is not known as repeated. */
  forgotten = 0;

  constructor(maxProducers: number) {
    this.#maxProducers = maxProducers;
  }

  /** False when this record had been seen. Without a producer or a number there is no such check. */
  isNew(producer: string | undefined, seq: number | undefined): boolean {
    if (producer === undefined || seq === undefined) return true;
    if (producer !== this.#lastProducer) {
      this.#lastSeen = this.#seenOf(producer);
      this.#lastProducer = producer;
    }
    return this.#lastSeen?.add(seq) ?? true;
  }

  /** Takes back that a record was seen: it could not be kept. */
  forget(producer: string, seq: number): void {
    this.#producers.get(producer)?.remove(seq);
  }

  /** Numbers of a producer that never came. */
  missingOf(producer: string): number {
    return this.#producers.get(producer)?.missing ?? 0;
  }

  /** The same, without those that its newest record skipped. */
  missingBefore(producer: string): number {
    const seen = this.#producers.get(producer);
    return seen === undefined ? 0 : seen.missing - seen.skipped;
  }

  /** The longest silent producer first. */
  save(): SavedNumbers[] {
    return [...this.#producers].map(([producer, seen]) => seen.save(producer));
  }

  /** Replaces all that is known. */
  restore(saved: readonly SavedNumbers[]): void {
    this.#lastProducer = undefined;
    this.#lastSeen = undefined;
    this.#producers.clear();
    for (const numbers of saved) this.#producers.set(numbers.producer, SeenNumbers.restore(numbers));
  }

  #seenOf(producer: string): SeenNumbers {
    let seen = this.#producers.get(producer);
    // Set again at each change of producer, so that the first in the map is the longest silent one.
    if (seen !== undefined) this.#producers.delete(producer);
    else seen = new SeenNumbers();
    this.#producers.set(producer, seen);
    if (this.#producers.size > this.#maxProducers) {
      for (const [oldest, forgotten] of this.#producers) {
        this.#missingOfForgotten += forgotten.missing;
        this.forgotten++;
        this.#producers.delete(oldest);
        break;
      }
    }
    return seen;
  }

  get missing(): number {
    let missing = this.#missingOfForgotten;
    for (const seen of this.#producers.values()) missing += seen.missing;
    return missing;
  }
}
