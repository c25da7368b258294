import { GrowingBytes } from './growing-bytes.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
/** Up to this length a loop over the characters is faster than a call that encodes. */
const SHORT = 127;

/** Writes JSON as UTF-8. Who calls it knows the grammar. */
export class JsonWriter extends GrowingBytes {
  /** A string with its quotes. */
  string(text: string): void {
    const { length } = text;
    if (length <= SHORT) {
      this.room(length + 2);
      const { bytes } = this;
      let { at } = this;
      bytes[at++] = QUOTE;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) break;
        bytes[at++] = code;
      }
      if (i === length) {
        bytes[at++] = QUOTE;
        this.at = at;
        return;
      }
    }
    const escaped = JSON.stringify(text);
    // A unit takes at most three bytes; to count them costs as much as to write them.
    this.room(escaped.length * 3);
    this.at += this.bytes.write(escaped, this.at, 'utf8');
  }

  /** A fixed piece of syntax. */
  piece(piece: Uint8Array): void {
    const { length } = piece;
    this.room(length);
    const { bytes, at } = this;
    for (let i = 0; i < length; i++) bytes[at + i] = piece[i] as number;
    this.at = at + length;
  }

  byte(code: number): void {
    this.room(1);
    this.bytes[this.at++] = code;
  }

  /** In place of a byte that was written. */
  replace(at: number, code: number): void {
    this.bytes[at] = code;
  }

  /** A finite number. */
  number(value: number): void {
    if (value >= 0 && value <= 0x7fffffff && (value | 0) === value) {
      this.room(10);
      this.#digits(value, value < 10 ? 1 : value < 100 ? 2 : digitsOf(value));
      return;
    }
    // -0 becomes 0, as `JSON.stringify` has it.
    const text = String(value);
    this.room(text.length);
    this.at += this.bytes.write(text, this.at, 'latin1');
  }

  /** Nanoseconds of an `HrTime`. */
  nanos(seconds: number, nanos: number): void {
    if (seconds === 0) {
      this.number(nanos);
      return;
    }
    this.number(seconds);
    this.room(9);
    this.#digits(nanos, 9);
  }

  #digits(value: number, count: number): void {
    const { bytes, at } = this;
    let rest = value;
    for (let i = at + count - 1; i >= at; i--) {
      const next = (rest / 10) | 0;
      bytes[i] = ZERO + rest - next * 10;
      rest = next;
    }
    this.at = at + count;
  }
}

function digitsOf(value: number): number {
  let count = 3;
  for (let limit = 1000; value >= limit && count < 10; limit *= 10) count++;
  return count;
}
