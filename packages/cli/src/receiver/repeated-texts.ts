const SLOT_BITS = 10;
const SLOTS = 2 ** SLOT_BITS;
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
    if (this.#isAt(slot, from, size)) return this.#textAt(slot);
    // Two texts that fall on the same slot would else put each other out all the time.
    const other = slot ^ 1;
    if (this.#isAt(other, from, size)) return this.#textAt(other);
    if (this.#sizes[slot] !== 0) this.#move(slot, other);
    const text = this.#bytes.utf8Slice(from, to);
    this.#texts[slot] = text;
    this.#wanted[slot] = this.#isWanted?.(text) === true ? 1 : 0;
    this.#places[slot] = from;
    this.#sizes[slot] = size;
    return this.#textAt(slot);
  }

  #move(from: number, to: number): void {
    this.#texts[to] = this.#texts[from] as string;
    this.#wanted[to] = this.#wanted[from] as number;
    this.#places[to] = this.#places[from] as number;
    this.#sizes[to] = this.#sizes[from] as number;
  }

  #textAt(slot: number): string {
    this.isLastWanted = this.#wanted[slot] === 1;
    return this.#texts[slot] as string;
  }

  #isAt(slot: number, from: number, size: number): boolean {
    return this.#sizes[slot] === size && this.#isSame(this.#places[slot] as number, from, size);
  }

  #slotOf(from: number, to: number): number {
    const view = this.#view;
    const last = to - WORD;
    let hash = to - from;
    for (let i = from; i < last; i += WORD) hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e3779b1);
    hash = Math.imul(hash ^ view.getInt32(last, true), 0x9e3779b1);
    // All bytes have their part in the upper bits.
    return hash >>> (32 - SLOT_BITS);
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
