import type { HookRecord } from '@hermes-observer/core';

/** Records of the journal in a row. */
export interface Stretch {
  /** Position of the first one. */
  readonly first: number;
  readonly records: readonly HookRecord[];
  /** Bytes of their lines; of a part of a stretch, of all of it. */
  readonly bytes: number;
}

/**
 * The newest records of the journal, as they were parsed, for a reader that keeps up. When it is full nothing is added
 * until it was emptied: what lies between is read from disk.
 */
export class Tail {
  readonly #maxBytes: number;
  #stretches: Stretch[] = [];
  #bytes = 0;
  #isFull = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(stretch: Stretch): void {
    if (stretch.records.length === 0) return;
    if (this.#isFull && this.#stretches.length > 0) return;
    this.#stretches.push(stretch);
    this.#bytes += stretch.bytes;
    this.#isFull = this.#bytes > this.#maxBytes;
  }

  /** Position of the oldest record that is here, or `undefined` without any. */
  get first(): number | undefined {
    return this.#stretches[0]?.first;
  }

  /** The records at `position`, if they are next here. Older ones that were passed by are let go of. */
  take(position: number): Stretch | undefined {
    for (;;) {
      const stretch = this.#stretches[0];
      if (stretch === undefined || stretch.first > position) return undefined;
      this.#stretches.shift();
      this.#bytes -= stretch.bytes;
      if (this.#stretches.length === 0) this.#isFull = false;
      const skip = position - stretch.first;
      if (skip === 0) return stretch;
      if (skip < stretch.records.length) {
        return { first: position, records: stretch.records.slice(skip), bytes: stretch.bytes };
      }
    }
  }
}
