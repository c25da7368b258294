const MOST_KEYS = 4_096;
const LONGEST_KEY = 96;
const LONGEST_SHORT = 32;
const SLOTS = 1_024;

/** What `toString` calls, without looking at the name of the encoding: a good part of the time for short texts. */
interface SlicedBytes extends Buffer {
  utf8Slice(from: number, to: number): string;
  hexSlice(from: number, to: number): string;
}

/**
 * Reads messages of protobuf in place, without an object for each field. A message is read by moving `at` up to its end.
 * @throws RangeError for what is cut off or no message.
 */
export class WireReader {
  readonly bytes: SlicedBytes;
  at = 0;
  readonly #keys: KeyTable;
  readonly #values = new ShortTexts();

  constructor(bytes: Buffer, keys = new KeyTable()) {
    this.bytes = bytes as SlicedBytes;
    this.#keys = keys;
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
    const last = this.length(end);
    const { at, bytes } = this;
    this.at = last;
    return last - at <= LONGEST_SHORT ? this.#values.of(bytes, at, last) : bytes.utf8Slice(at, last);
  }

  hex(end: number): string {
    const last = this.length(end);
    const text = this.bytes.hexSlice(this.at, last);
    this.at = last;
    return text;
  }

  /** A text of which there are few: each is made once. */
  key(end: number): string {
    const last = this.length(end);
    const key = this.#keys.of(this.bytes, this.at, last);
    this.at = last;
    return key;
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

/** Names that come again and again. */
export class KeyTable {
  readonly #keys = new Map<number, { readonly bytes: Buffer; readonly text: string }>();

  of(bytes: SlicedBytes, from: number, to: number): string {
    const size = to - from;
    if (size > LONGEST_KEY) return bytes.utf8Slice(from, to);
    let hash = size;
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
    const known = this.#keys.get(hash);
    if (known !== undefined && isSame(known.bytes, bytes, from, size)) return known.text;
    const text = bytes.utf8Slice(from, to);
    if (known === undefined && this.#keys.size < MOST_KEYS) {
      this.#keys.set(hash, { bytes: Buffer.from(bytes.subarray(from, to)), text });
    }
    return text;
  }
}

/**
 * Short values, of which many are the same again and again: names of models, agents, tools. The latest of each slot is
 * remembered, so that what comes once costs little, and what is kept of many spans is there once.
 */
class ShortTexts {
  readonly #texts: string[] = new Array(SLOTS).fill('');

  of(bytes: SlicedBytes, from: number, to: number): string {
    let hash = to - from;
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const known = this.#texts[slot] as string;
    if (known.length === to - from && isText(known, bytes, from)) return known;
    const text = bytes.utf8Slice(from, to);
    this.#texts[slot] = text;
    return text;
  }
}

/** A byte beyond ASCII is no character of a text of as many characters as bytes. */
function isText(text: string, bytes: Buffer, from: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[from + i] as number;
    if (byte >= 0x80 || text.charCodeAt(i) !== byte) return false;
  }
  return true;
}

function isSame(known: Buffer, bytes: Buffer, from: number, size: number): boolean {
  if (known.length !== size) return false;
  for (let i = 0; i < size; i++) if (known[i] !== bytes[from + i]) return false;
  return true;
}
