import { framesBytes } from './frame.js';

/** One call of `append` on its way to the disk. */
export interface Append {
  readonly payloads: readonly Uint8Array[];
  readonly bytes: number;
  /** Position of its first record, known once it is written. */
  position: number;
  readonly resolve: (position: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Appends that wait for their write, how many bytes are not acknowledged, and who waits until these are fewer. */
export class Backlog {
  readonly #limit: number;
  #queue: Append[] = [];
  #bytes = 0;
  #waiting: (() => void)[] = [];
  #isWaking = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of appends that are neither acknowledged nor rejected. */
  get bytes(): number {
    return this.#bytes;
  }

  get hasRoom(): boolean {
    return this.#bytes < this.#limit;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  add(payloads: readonly Uint8Array[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const bytes = framesBytes(payloads);
      this.#bytes += bytes;
      this.#queue.push({ payloads, bytes, position: -1, resolve, reject });
    });
  }

  /** What waits now, in groups that are written in one call each: up to `groupBytes`, or one append that is larger. */
  takeGroups(groupBytes: number): Append[][] {
    const groups: Append[][] = [];
    let size = Number.POSITIVE_INFINITY;
    for (const append of this.takeAll()) {
      if (size + append.bytes > groupBytes) {
        groups.push([]);
        size = 0;
      }
      groups.at(-1)?.push(append);
      size += append.bytes;
    }
    return groups;
  }

  takeAll(): Append[] {
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  acknowledge(appends: readonly Append[]): void {
    for (const { bytes, position, resolve } of appends) {
      this.#bytes -= bytes;
      resolve(position);
    }
    this.#wake();
  }

  reject(appends: readonly Append[], error: unknown): void {
    for (const { bytes, reject } of appends) {
      this.#bytes -= bytes;
      reject(error);
    }
    this.#wake();
  }

  room(): Promise<void> {
    if (this.hasRoom && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#wake();
    });
  }

  /** One at a time: the first may fill it again before the next one looks. */
  #wake(): void {
    if (this.#isWaking || this.#waiting.length === 0 || !this.hasRoom) return;
    this.#isWaking = true;
    this.#waiting.shift()?.();
    setImmediate(() => {
      this.#isWaking = false;
      this.#wake();
    });
  }
}
