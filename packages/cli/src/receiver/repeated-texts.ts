const SLOTS = 1_024;
const WORD = 4;

/** What `toString` calls, without looking at the name of the encoding: a good part of the time for short texts. */
export interface SlicedBytes extends Buffer {
  utf8Slice(from: number, to: number): string;
  hexSlice(from: number, to: number): string;
  latin1Slice(from: number, to: number): string;
}

/**
 * Names and short values in the bytes of a request, of which many are the same again and again: keys, models, agents,
 * tools. Where each slot was seen last is remembered, so that what comes once costs little, and none of it grows.
 */
export class RepeatedTexts {
  readonly #bytes: SlicedBytes;
  readonly #view: DataView;
  readonly #texts: string[] = new Array(SLOTS).fill('');
  readonly #places = new Int32Array(SLOTS);
  readonly #sizes = new Int32Array(SLOTS);
  readonly #isWanted: ((text: string) => boolean) | undefined;
  readonly #wanted = new Uint8Array(SLOTS);
  /** Whether the text that was asked for last is one of those wanted. */
  isLastWanted = false;

  /** @param isWanted asked once for each text that is remembered */
  constructor(bytes: SlicedBytes, isWanted?: (text: string) => boolean) {
    this.#isWanted = isWanted;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The text of some bytes, made once as far as it is remembered. */
  of(from: number, to: number): string {
    const size = to - from;
    // Not worth it, and no whole word.
    if (size < WORD) {
      const text = this.#bytes.utf8Slice(from, to);
      this.isLastWanted = this.#isWanted?.(text) === true;
      return text;
    }
    const slot = this.#slotOf(from, to);
    if (this.#sizes[slot] === size && this.#isSame(this.#places[slot] as number, from, size)) {
      this.isLastWanted = this.#wanted[slot] === 1;
      return this.#texts[slot] as string;
    }
    const text = this.#bytes.utf8Slice(from, to);
    this.#texts[slot] = text;
    this.isLastWanted = this.#isWanted?.(text) === true;
    this.#wanted[slot] = this.isLastWanted ? 1 : 0;
    this.#places[slot] = from;
    this.#sizes[slot] = size;
    return text;
  }

  #slotOf(from: number, to: number): number {
    const view = this.#view;
    const last = to - WORD;
    let hash = to - from;
    for (let i = from; i < last; i += WORD) hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e3779b1);
    hash = Math.imul(hash ^ view.getInt32(last, true), 0x9e3779b1);
    return (hash ^ (hash >>> 15)) & (SLOTS - 1);
  }

  #isSame(one: number, other: number, size: number): boolean {
    const view = this.#view;
    const last = size - WORD;
    for (let i = 0; i < last; i += WORD) {
      if (view.getInt32(one + i, true) !== view.getInt32(other + i, true)) return false;
    }
    return view.getInt32(one + last, true) === view.getInt32(other + last, true);
  }
}
