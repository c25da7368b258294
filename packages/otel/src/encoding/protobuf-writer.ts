import { GrowingBytes } from './growing-bytes.js';

/** Up to this length a loop over the characters is faster than a call that encodes. */
const SHORT = 127;

/** Writes the wire format of protobuf, each message once and forward. */
export class ProtobufWriter extends GrowingBytes {
  /** A varint, of up to 53 bits. */
  uint(tag: number, value: number): void {
    this.room(12);
    this.bytes[this.at++] = tag;
    this.#varint(value);
  }

  /** An int64 of a safe integer; one below zero takes ten bytes. */
  int(tag: number, value: number): void {
    if (value >= 0) {
      this.uint(tag, value);
      return;
    }
    this.room(12);
    const bytes = this.bytes;
    bytes[this.at++] = tag;
    let rest = BigInt.asUintN(64, BigInt(value));
    for (let i = 0; i < 9; i++) {
      bytes[this.at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    bytes[this.at++] = Number(rest);
  }

  double(tag: number, value: number): void {
    this.room(9);
    this.bytes[this.at] = tag;
    this.bytes.writeDoubleLE(value, this.at + 1);
    this.at += 9;
  }

  fixed32(tag: number, value: number): void {
    this.room(5);
    this.bytes[this.at] = tag;
    this.bytes.writeUInt32LE(value, this.at + 1);
    this.at += 5;
  }

  /** Nanoseconds of an `HrTime` below 2^64 ns, as fixed64. */
  time(tag: number, seconds: number, nanos: number): void {
    this.room(9);
    // In two halves of seconds, so that no product goes beyond 2^53.
    const low = (seconds % 0x10000) * 1e9 + nanos;
    const high = Math.floor(seconds / 0x10000) * 1e9;
    const lowest = (low % 0x1_0000_0000) + (high % 0x10000) * 0x10000;
    const highest = Math.floor(low / 0x1_0000_0000) + Math.floor(high / 0x10000) + Math.floor(lowest / 0x1_0000_0000);
    this.bytes[this.at] = tag;
    this.bytes.writeUInt32LE(lowest % 0x1_0000_0000, this.at + 1);
    this.bytes.writeUInt32LE(highest % 0x1_0000_0000, this.at + 5);
    this.at += 9;
  }

  /** An id of hex digits. */
  hex(tag: number, digits: string): void {
    const length = digits.length >> 1;
    this.room(2 + length);
    const bytes = this.bytes;
    bytes[this.at++] = tag;
    bytes[this.at++] = length;
    for (let i = 0; i < digits.length; i += 2) {
      bytes[this.at++] = (nibble(digits.charCodeAt(i)) << 4) | nibble(digits.charCodeAt(i + 1));
    }
  }

  string(tag: number, text: string): void {
    const { length } = text;
    if (length <= SHORT) {
      this.room(2 + length);
      const bytes = this.bytes;
      const start = this.at;
      bytes[start] = tag;
      bytes[start + 1] = length;
      let at = start + 2;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        bytes[at++] = code;
      }
      if (i === length) {
        this.at = at;
        return;
      }
    }
    const size = Buffer.byteLength(text);
    this.room(11 + size);
    this.bytes[this.at++] = tag;
    this.#varint(size);
    this.at += this.bytes.write(text, this.at, size, 'utf8');
  }

  /** Bytes with their length before them. */
  message(tag: number, value: Uint8Array): void {
    this.room(11 + value.length);
    this.bytes[this.at++] = tag;
    this.#varint(value.length);
    this.raw(value);
  }

  /** Begins a message inside; `end()` takes what this returns. */
  begin(tag: number): number {
    this.room(2);
    this.bytes[this.at] = tag;
    this.at += 2;
    return this.at;
  }

  /** The length goes before what was written since `begin()`; one that takes more than a byte moves it. */
  end(start: number): void {
    const size = this.at - start;
    if (size < 0x80) {
      this.bytes[start - 1] = size;
      return;
    }
    const more = varintBytes(size) - 1;
    this.room(more);
    this.bytes.copyWithin(start + more, start, this.at);
    const end = this.at + more;
    this.at = start - 1;
    this.#varint(size);
    this.at = end;
  }

  #varint(value: number): void {
    const bytes = this.bytes;
    let rest = value;
    while (rest >= 0x80) {
      bytes[this.at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[this.at++] = rest;
  }
}

/** Of a lower-case or upper-case hex digit. */
function nibble(code: number): number {
  return code < 58 ? code - 48 : (code | 32) - 87;
}

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}
