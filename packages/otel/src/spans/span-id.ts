import { hash } from 'node:crypto';

/**
 * Ids from correlation ids, so that the same records give the same spans and another process can know them. The rules
 * and test vectors are in `docs/span-ids.md`.
 *
 * A span id is FNV-1a 64 of the UTF-8 bytes of trace id, kind, key parts and ordinal, joined by NUL. The state is two
 * 32-bit halves: a hash goes on from the state of a shared beginning, so a span costs only the part that is its own.
 */
export interface HashState {
  readonly high: number;
  readonly low: number;
}

const OFFSET: HashState = { high: 0xcbf29ce4, low: 0x84222325 };

let high = 0;
let low = 0;

/** One step of FNV-1a: exclusive or, then times 2^40 + 0x1b3 modulo 2^64. */
function addByte(byte: number): void {
  const mixed = (low ^ byte) >>> 0;
  const lower = (mixed & 0xffff) * 0x1b3;
  const upper = (mixed >>> 16) * 0x1b3 + (lower >>> 16);
  high = (Math.imul(high, 0x1b3) + (upper >>> 16) + (mixed << 8)) >>> 0;
  low = ((upper << 16) | (lower & 0xffff)) >>> 0;
}

function addText(text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) addByte(code);
    else {
      for (const byte of Buffer.from(text.slice(i), 'utf8')) addByte(byte);
      return;
    }
  }
}

/** The state after `parts`, each followed by NUL. Goes on from `from`. */
export function hashParts(parts: readonly string[], from: HashState = OFFSET): HashState {
  high = from.high;
  low = from.low;
  for (const part of parts) {
    addText(part);
    addByte(0);
  }
  return { high, low };
}

const HEX = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const digit = (value: number, shift: number) => HEX[(value >>> shift) & 15] as number;

/** The span id: `parts` and the ordinal on top of a state. Never all zero. */
export function spanId(from: HashState, first: string, second: string | undefined, ordinal: number): string {
  high = from.high;
  low = from.low;
  addText(first);
  addByte(0);
  if (second !== undefined) {
    addText(second);
    addByte(0);
  }
  if (ordinal < 10) addByte(48 + ordinal);
  else addText(String(ordinal));
  if (high === 0 && low === 0) low = 1;
  return String.fromCharCode(
    digit(high, 28),
    digit(high, 24),
    digit(high, 20),
    digit(high, 16),
    digit(high, 12),
    digit(high, 8),
    digit(high, 4),
    digit(high, 0),
    digit(low, 28),
    digit(low, 24),
    digit(low, 20),
    digit(low, 16),
    digit(low, 12),
    digit(low, 8),
    digit(low, 4),
    digit(low, 0),
  );
}

/** The trace id of a source such as `turn\0<turn_id>`: the first 16 bytes of its SHA-256. */
export function traceIdOf(source: string): string {
  return hash('sha256', source, 'hex').slice(0, 32);
}
