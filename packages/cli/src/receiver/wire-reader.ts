import { type FactName, isFact } from '../traces/facts.js';
import { RepeatedTexts, type SlicedBytes } from './repeated-texts.js';

const LONGEST_KEY = 96;
const LONGEST_SHORT = 32;

/**
 * Reads messages of protobuf in place, without an object for each field. A message is read by moving `at` up to its end.
 * @throws RangeError for what is cut off or no message.
 */
export class WireReader {
  readonly bytes: SlicedBytes;
  at = 0;
  readonly #keys: RepeatedTexts | undefined;
  readonly #values: RepeatedTexts | undefined;

  /** @param isMany whether texts are likely to come again */
  constructor(bytes: Buffer, isMany = false) {
    this.bytes = bytes as SlicedBytes;
    this.#keys = isMany ? new RepeatedTexts(this.bytes, isFact) : undefined;
    this.#values = isMany ? new RepeatedTexts(this.bytes) : undefined;
  }

  /** Up to 2^64, as a double. */
  varint(): number {
    const { bytes } = this;
    let value = bytes[this.at++] as number;
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let factor = 0x80; ; factor *= 0x80) {
      const byte = bytes[this.at++];
      if (byte === undefined || factor > 2 ** 63) throw new RangeError('cut off');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** An int64: exact, as text where a double does not hold it. */
  int64(): number | string {
    let value = 0n;
    const from = this.at;
    const number = this.varint();
    if (number <= Number.MAX_SAFE_INTEGER) return number;
    for (let i = this.at - 1; i >= from; i--) value = (value << 7n) | BigInt((this.bytes[i] as number) & 0x7f);
    const signed = BigInt.asIntN(64, value);
    return signed >= BigInt(Number.MIN_SAFE_INTEGER) && signed <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(signed)
      : String(signed);
  }

  double(end: number): number {
    return this.bytes.readDoubleLE(this.#skipped(8, end));
  }

  /** A fixed64 as nanoseconds: whole seconds, and the rest. */
  time(end: number): [number, number] {
    const from = this.#skipped(8, end);
    const low = this.bytes.readUInt32LE(from);
    const high = this.bytes.readUInt32LE(from + 4);
    // 2^48 ns are 281,474 s and 976,710,656 ns; 2^32 ns are 4 s and 294,967,296 ns. No product goes beyond 2^53.
    const [upper, lower] = [high >>> 16, high & 0xffff];
    const nanos = upper * 976_710_656 + lower * 294_967_296 + low;
    const carry = Math.floor(nanos / 1e9);
    return [upper * 281_474 + lower * 4 + carry, nanos - carry * 1e9];
  }

  /** End of a message or text that begins with its length; `at` is moved to its first byte. */
  length(end: number): number {
    const size = this.varint();
    const last = this.at + size;
    if (last > end) throw new RangeError('cut off');
    return last;
  }

  text(end: number): string {
    return this.#textOf(this.#values, LONGEST_SHORT, end);
  }

  /** A text of which there are few. */
  key(end: number): string {
    return this.#textOf(this.#keys, LONGEST_KEY, end);
  }

  /** A key, if it is that of a fact. */
  factKey(end: number): FactName | undefined {
    const keys = this.#keys;
    const from = this.at;
    const text = this.key(end);
    if (keys === undefined) return isFact(text) ? text : undefined;
    // A longer one, by its bytes, was not looked up, and is none.
    return this.at - from <= LONGEST_KEY && keys.isLastWanted ? (text as FactName) : undefined;
  }

  #textOf(known: RepeatedTexts | undefined, longest: number, end: number): string {
    const last = this.length(end);
    const { at, bytes } = this;
    this.at = last;
    return known !== undefined && last - at <= longest ? known.of(at, last) : bytes.utf8Slice(at, last);
  }

  /** Bytes as hexadecimal digits. @param before what such a field was last: spans that come together share ids */
  hex(end: number, before: HexText): string {
    const last = this.length(end);
    const { at, bytes } = this;
    this.at = last;
    if (last - at === before.size && isSame(bytes, before.at, at, before.size)) return before.text;
    before.at = at;
    before.size = last - at;
    before.text = bytes.hexSlice(at, last);
    return before.text;
  }

  /** Passes over a field of the wire type in `tag`. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case 0:
        this.varint();
        break;
      case 1:
        this.#skipped(8, end);
        break;
      case 2:
        this.at = this.length(end);
        break;
      case 5:
        this.#skipped(4, end);
        break;
      default:
        throw new RangeError('no field');
    }
  }

  #skipped(size: number, end: number): number {
    const from = this.at;
    this.at += size;
    if (this.at > end) throw new RangeError('cut off');
    return from;
  }
}

/** Digits of an id, and where its bytes stand. */
export class HexText {
  at = 0;
  size = 0;
  text = '';
}

function isSame(bytes: Buffer, from: number, to: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (bytes[from + i] !== bytes[to + i]) return false;
  return true;
}
