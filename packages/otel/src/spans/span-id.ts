import { wellFormed } from '@hermes-observer/core';
import { sha256 } from '../provider/sha-256.js';

/**
 * Ids from correlation ids, so that the same records give the same spans and another process can know them. The rules
 * and test vectors are in `docs/span-ids.md`.
 *
 * A span id is FNV-1a 64 of the UTF-8 bytes of trace id, kind, key parts and ordinal, joined by NUL. The state is two
 * 32-bit halves: a hash goes on from the state of a shared beginning, so a span costs only the part that is its own.
 */
export class HashState {
  readonly high: number;
  readonly low: number;
  /** So much of a key is in it already. */
  readonly start: number;

  constructor(high: number, low: number, start = 0) {
    this.high = high;
    this.low = low;
    this.start = start;
  }
}

const OFFSET = new HashState(0xcbf29ce4 | 0, 0x84222325 | 0);

const NUL_IN_TEXT = Buffer.from([0xc0, 0x80]);

/**
 * The UTF-8 bytes of a text. A lone surrogate, which has none, takes the three bytes its code point would have: two ids
 * that differ in nothing else must not become one. For the same reason a NUL inside a text takes two bytes that UTF-8
 * never has, C0 80: NUL alone stands between parts.
 */
function bytesOf(text: string): Uint8Array {
  if (wellFormed(text) === text && !text.includes('\0')) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    if (code === 0) parts.push(NUL_IN_TEXT);
    else if (isLone) parts.push(Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]));
    else parts.push(Buffer.from(char));
  }
  return Buffer.concat(parts);
}

/** State of the hash at hand, in place: numbers of 32 bits in variables of the module would be boxed at every step. */
const state = new Int32Array(2);

function addText(text: string, start = 0): void {
  let high = state[0] as number;
  let low = state[1] as number;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // NUL inside a text, and all that is not ASCII.
    if ((code - 1) >>> 0 >= 0x7f) {
      state[0] = high;
      state[1] = low;
      for (const byte of bytesOf(text.slice(i))) addByte(byte);
      return;
    }
    // One step of FNV-1a: exclusive or, then times 2^40 + 0x1b3 modulo 2^64, in 16-bit parts.
    low ^= code;
    const lower = (low & 0xffff) * 0x1b3;
    const upper = (low >>> 16) * 0x1b3 + (lower >>> 16);
    high = (Math.imul(high, 0x1b3) + (upper >>> 16) + (low << 8)) | 0;
    low = (upper << 16) | (lower & 0xffff);
  }
  state[0] = high;
  state[1] = low;
}

function addByte(byte: number): void {
  const low = (state[1] as number) ^ byte;
  const lower = (low & 0xffff) * 0x1b3;
  const upper = (low >>> 16) * 0x1b3 + (lower >>> 16);
  state[0] = Math.imul(state[0] as number, 0x1b3) + (upper >>> 16) + (low << 8);
  state[1] = (upper << 16) | (lower & 0xffff);
}

/** The state after `parts`, each followed by NUL. Goes on from `from`. */
export function hashParts(parts: readonly string[], from: HashState = OFFSET): HashState {
  state[0] = from.high;
  state[1] = from.low;
  for (const part of parts) {
    addText(part);
    addByte(0);
  }
  return new HashState(state[0] as number, state[1] as number);
}

/** The state after the beginning of a key. */
export function hashText(text: string, from: HashState): HashState {
  state[0] = from.high;
  state[1] = from.low;
  addText(text);
  return new HashState(state[0] as number, state[1] as number, text.length);
}

const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

function hex(high: number, low: number): string {
  return String.fromCharCode(
    HEX[high >>> 28] as number,
    HEX[(high >>> 24) & 15] as number,
    HEX[(high >>> 20) & 15] as number,
    HEX[(high >>> 16) & 15] as number,
    HEX[(high >>> 12) & 15] as number,
    HEX[(high >>> 8) & 15] as number,
    HEX[(high >>> 4) & 15] as number,
    HEX[high & 15] as number,
    HEX[low >>> 28] as number,
    HEX[(low >>> 24) & 15] as number,
    HEX[(low >>> 20) & 15] as number,
    HEX[(low >>> 16) & 15] as number,
    HEX[(low >>> 12) & 15] as number,
    HEX[(low >>> 8) & 15] as number,
    HEX[(low >>> 4) & 15] as number,
    HEX[low & 15] as number,
  );
}

/** The span id: `parts` and the ordinal on top of a state. Never all zero. */
export function spanId(from: HashState, first: string, second: string | undefined, ordinal: number): string {
  state[0] = from.high;
  state[1] = from.low;
  addText(first, from.start);
  addByte(0);
  if (second !== undefined) {
    addText(second);
    addByte(0);
  }
  if (ordinal < 10) addByte(48 + ordinal);
  else addText(String(ordinal));
  const high = state[0] as number;
  const low = state[1] as number;
  return hex(high, high === 0 && low === 0 ? 1 : low);
}

const sourceBytes = (source: string) =>
  Buffer.concat(source.split('\0').flatMap((part, i) => (i === 0 ? [bytesOf(part)] : [Buffer.of(0), bytesOf(part)])));

/** The trace id of a source such as `turn\0<turn_id>`: the first 16 bytes of its SHA-256. */
export function traceIdOf(source: string): string {
  return sha256(wellFormed(source) === source ? source : sourceBytes(source)).slice(0, 32);
}
