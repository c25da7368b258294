/** What is known of a segment without reading it. */
export interface Segment {
  readonly path: string;
  /** Position of its first record. */
  readonly first: number;
  bytes: number;
  /** When its newest record was appended, on the clock of `performance.now()`: a clock set back changes no age. */
  newestAt: number;
}

/** Up to where records are durable, and where in the newest segment that is. */
export interface DurableEnd {
  /** Position behind the last durable record. */
  readonly position: number;
  readonly bytes: number;
}

/** The segments of a log in order, and up to where they may be read. Waiting readers are woken when that moves. */
export class SegmentList {
  readonly #segments: Segment[];
  #durable: DurableEnd;
  #waiting = new Set<() => void>();

  constructor(segments: Segment[], durable: DurableEnd) {
    this.#segments = segments;
    this.#durable = durable;
  }

  get durable(): DurableEnd {
    return this.#durable;
  }

  get all(): readonly Segment[] {
    return this.#segments;
  }

  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments) bytes += segment.bytes;
    return bytes;
  }

  /** Position of the oldest record that is kept, or of the next one if there is none. */
  get oldest(): number {
    return this.#segments[0]?.first ?? this.#durable.position;
  }

  /** The segment that holds `position`, or undefined if that is older than all. */
  find(position: number): Segment | undefined {
    return this.#segments.findLast(({ first }) => first <= position);
  }

  /** A segment ends where the next one begins, whatever else is in its file. */
  endOf(segment: Segment): number {
    return this.#segments[this.#segments.indexOf(segment) + 1]?.first ?? Number.POSITIVE_INFINITY;
  }

  /** Begins the segment that is written to from now on: the last one. */
  begin(segment: Segment, durable: DurableEnd): void {
    // The last one held no good record: its file was written anew.
    if (this.#segments.at(-1)?.first === segment.first) this.#segments.pop();
    this.#segments.push(segment);
    this.#durable = durable;
  }

  /** The last segment has new records, and so many bytes. */
  grown(bytes: number): void {
    this.cut(bytes);
    const last = this.#segments.at(-1);
    if (last !== undefined) last.newestAt = performance.now();
  }

  /** The last segment has only so many bytes. */
  cut(bytes: number): void {
    const last = this.#segments.at(-1);
    if (last !== undefined) last.bytes = bytes;
  }

  advance(durable: DurableEnd): void {
    this.#durable = durable;
    this.wake();
  }

  remove(segment: Segment): void {
    const at = this.#segments.indexOf(segment);
    if (at >= 0) this.#segments.splice(at, 1);
  }

  /** Calls `woken` once, when there may be more to read; returns what takes that back. */
  onChange(woken: () => void): () => void {
    this.#waiting.add(woken);
    return () => this.#waiting.delete(woken);
  }

  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const woken of waiting) woken();
  }
}
