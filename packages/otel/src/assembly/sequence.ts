/** Ranges of numbers seen, as `[first, last]` pairs in rising order; a producer without loss has one. */
class SeenNumbers {
  readonly #ranges: [number, number][] = [];
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
      return true;
    }
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
