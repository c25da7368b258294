import type { Trace } from '@hermes-observer/otel';

/** A trace, and where in the journal its records are. */
interface Track {
  readonly trace: Trace;
  /** Position of its first record that is known here. */
  readonly first: number;
  /** Earlier records of it are not known any more: it cannot be replayed. */
  readonly isPartial: boolean;
  /** Where in the journal it was seen to be over. */
  closedAt: number | undefined;
}

/** Positions in a row, as `[first, count]`. */
export type PositionRange = [first: number, count: number];

/**
 * Closed traces are replayed as long as no more records than this lie behind their end, and something of them was heard in
 * the last ten minutes: so long, more may come late.
 */
const LATE_RECORDS = 32_768;
const LATE_MILLIS = 600_000;

/** Of records that close traces of several: wherever any of these is replayed, so are they. */
export const EVERY = 0xffff_ffff;

/**
 * Which trace each record of the journal belongs to, for what a recovery must read. Four bytes a record, from the oldest
 * one that is needed on.
 */
export class TraceTracks {
  #base = 0;
  #count = 0;
  #serials = new Uint32Array(1024);
  readonly #tracks = new Map<number, Track>();
  #newest = 0;
  /** Serials rise: one that is not above all seen so far was known before, and was let go of. */
  #seen = 0;
  /** Traces that are open and could not be replayed. */
  partial = 0;

  constructor(position: number) {
    this.#base = position;
  }

  /** Position of the next record. */
  get next(): number {
    return this.#base + this.#count;
  }

  /** Notes the record at `next`. */
  note(trace: Trace | undefined, isForEvery: boolean): void {
    if (this.#count === this.#serials.length) this.#grow();
    const serial = trace?.serial ?? 0;
    this.#serials[this.#count++] = isForEvery ? EVERY : serial;
    if (trace === undefined || serial === this.#newest) return;
    if (!this.#tracks.has(serial)) this.#begin(trace, serial, this.next - 1);
    this.#newest = serial;
  }

  /** Notes a record that lies further back, at a recovery, in the order of positions. */
  noteHeld(trace: Trace | undefined, position: number): void {
    if (trace !== undefined && !this.#tracks.has(trace.serial)) this.#begin(trace, trace.serial, position);
  }

  /** Goes on at a position, after records that need not be noted. */
  skipTo(position: number): void {
    while (this.next < position) this.note(undefined, false);
  }

  /**
   * Whether a recovery at `next` has the records of a trace read. Lets go of what is over.
   * @param arrival now, as `TraceWatch.arrival`
   */
  sweep(arrival: number): (trace: Trace) => boolean {
    const { next } = this;
    const isOver = ({ closedAt, trace }: Track) =>
      closedAt !== undefined && (next - closedAt >= LATE_RECORDS || arrival - trace.heard >= LATE_MILLIS);
    const replayed = new Set<Trace>();
    this.partial = 0;
    for (const [serial, track] of this.#tracks) {
      if (track.trace.openSpans > 0) track.closedAt = undefined;
      else track.closedAt ??= next;
      if (isOver(track)) {
        this.#tracks.delete(serial);
        if (this.#newest === serial) this.#newest = 0;
      } else if (track.isPartial) this.partial += track.closedAt === undefined ? 1 : 0;
      else replayed.add(track.trace);
    }
    return (trace) => replayed.has(trace);
  }

  /** The oldest position that a trace needs, at least `least`. */
  oldestNeeded(least: number): number {
    let oldest = this.next;
    for (const { first } of this.#tracks.values()) oldest = Math.min(oldest, Math.max(first, least));
    return oldest;
  }

  /** Positions of the records that a recovery reads, between two positions. */
  needed(from: number, to: number): PositionRange[] {
    const ranges: PositionRange[] = [];
    let range: PositionRange | undefined;
    for (let position = Math.max(from, this.#base); position < to; position++) {
      if (!this.isNeeded(position)) range = undefined;
      else if (range === undefined) {
        range = [position, 1];
        ranges.push(range);
      } else range[1]++;
    }
    return ranges;
  }

  isNeeded(position: number): boolean {
    const serial = this.serialAt(position);
    return serial === EVERY || (serial !== 0 && this.#tracks.has(serial));
  }

  serialAt(position: number): number {
    return this.#serials[position - this.#base] ?? 0;
  }

  isTracked(serial: number): boolean {
    return serial === EVERY || this.#tracks.has(serial);
  }

  /** Traces up to a serial have records that are not known here, but for those that were noted. */
  beginBehind(serial: number): void {
    this.#seen = Math.max(this.#seen, serial);
  }

  /** Lets go of a trace: it will not be replayed. */
  drop(serial: number): void {
    this.#tracks.delete(serial);
    this.#newest = 0;
  }

  /**
   * Lets go of the traces of some records. @param ranges first and count in turn
   * @returns false, and does nothing, where one of them is open
   */
  release(ranges: readonly number[]): boolean {
    const serials = new Set<number>();
    for (let i = 0; i < ranges.length; i += 2) {
      const end = (ranges[i] as number) + (ranges[i + 1] as number);
      for (let position = Math.max(ranges[i] as number, this.#base); position < end; position++)
        serials.add(this.serialAt(position));
    }
    for (const serial of serials) if ((this.#tracks.get(serial)?.trace.openSpans ?? 0) > 0) return false;
    for (const serial of serials) this.drop(serial);
    return true;
  }

  /** Lets go of all before a position. */
  forgetBefore(position: number): void {
    const gone = Math.min(position - this.#base, this.#count);
    // In large steps, since what stays is moved.
    if (gone < 4096 || gone * 2 < this.#count) return;
    this.#serials.copyWithin(0, gone, this.#count);
    this.#count -= gone;
    this.#base += gone;
    if (this.#serials.length > 65_536 && this.#count * 4 < this.#serials.length) {
      this.#serials = this.#serials.slice(0, this.#serials.length / 2);
    }
  }

  #begin(trace: Trace, serial: number, first: number): void {
    this.#tracks.set(serial, { trace, first, isPartial: serial <= this.#seen, closedAt: undefined });
    this.#seen = Math.max(this.#seen, serial);
  }

  #grow(): void {
    const larger = new Uint32Array(this.#serials.length * 2);
    larger.set(this.#serials);
    this.#serials = larger;
  }
}
