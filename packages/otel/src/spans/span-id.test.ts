import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashState, hashParts, spanId, traceIdOf } from './span-id.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() & 0x7fffffff);

/** FNV-1a 64 by the book: an implementation that shares nothing with ours. */
function fnv1a64(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

const hex = (hash: bigint) => hash.toString(16).padStart(16, '0');

/** UTF-8, C0 80 for a NUL in a part, and the three bytes of its code point for a surrogate that stands alone. */
function bytesOf(text: string): Uint8Array {
  const bytes = [...text].map((char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code === 0) return [0xc0, 0x80];
    if (code < 0xd800 || code > 0xdfff) return [...Buffer.from(char)];
    return [0xe0 + Math.floor(code / 4096), 0x80 + (Math.floor(code / 64) % 64), 0x80 + (code % 64)];
  });
  return Uint8Array.from(bytes.flat());
}

const byTheBook = (...parts: string[]) =>
  hex(fnv1a64(Uint8Array.from(parts.flatMap((part, i) => [...(i === 0 ? [] : [0]), ...bytesOf(part)]))));
const stateHex = ({ high, low }: { high: number; low: number }) =>
  ((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString(16).padStart(16, '0');

describe('the hash', () => {
  // Fowler, Noll, Vo: test vectors of FNV-1a 64, strings without and with their final NUL.
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['b', 'af63df4c8601f1a5'],
    ['foobar', '85944171f73967e8'],
    ['hello', 'a430d84680aabd0b'],
  ])('by the book gives the published value of %j', (text, published) => {
    expect(byTheBook(text)).toBe(published);
  });

  it.each([
    ['', 'af63bd4c8601b7df'],
    ['foobar', '34531ca7168b8f38'],
  ])('gives the published value of %j with its NUL', (text, published) => {
    expect(stateHex(hashParts([text]))).toBe(published);
  });

  it(`agrees with the book for any parts, non-ASCII and broken text included (FC_SEED=${SEED})`, () => {
    const part = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('é', '日本語', '😀', 'a\ud800', '\udc00b', '\0'),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 4 }),
        part,
        fc.option(part, { nil: undefined }),
        fc.nat({ max: 200 }),
        (before, one, two, ordinal) => {
          const parts = [...before, one, ...(two === undefined ? [] : [two]), String(ordinal)];
          expect(spanId(hashParts(before), one, two, ordinal)).toBe(byTheBook(...parts));
        },
      ),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('goes on from a shared beginning', () => {
    expect(hashParts(['c'], hashParts(['a', 'b']))).toEqual(hashParts(['a', 'b', 'c']));
  });
});

describe('a span id', () => {
  it('has 16 lower-case hex digits', () => {
    for (let n = 0; n < 500; n++)
      expect(spanId(hashParts(['trace', 'tool', `${n}`]), 'call', undefined, n)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is never zero', () => {
    // The state whose next step, with the ordinal 0, gives zero: FNV's prime is odd, so 0 comes of 0 alone.
    const before = undone(BigInt('0x30'), ['x']);
    expect(spanId(new HashState(Number(before >> 32n) | 0, Number(before & 0xffffffffn) | 0), 'x', undefined, 0)).toBe(
      '0000000000000001',
    );
  });

  it('differs by trace, kind, key and ordinal', () => {
    const ids = new Set<string>();
    for (const trace of ['t1', 't2'])
      for (const kind of ['tool', 'request'])
        for (const key of ['a', 'b', ''])
          for (let n = 0; n < 20; n++) ids.add(spanId(hashParts([trace, kind]), key, undefined, n));
    expect(ids.size).toBe(2 * 2 * 3 * 20);
  });
});

describe('a trace id', () => {
  it('is the first 16 bytes of the SHA-256 of its source', () => {
    const whole = createHash('sha256').update('turn\0turn-1').digest('hex');
    expect(traceIdOf('turn\0turn-1')).toBe(whole.slice(0, 32));
    expect(traceIdOf('turn\0é')).toBe(createHash('sha256').update(Buffer.from('turn\0é')).digest('hex').slice(0, 32));
  });
});

/** The state before `parts` that leads to `last` before the final byte is mixed in, so that the hash comes out as zero. */
function undone(last: bigint, parts: string[]): bigint {
  const inverse = modularInverse(0x100000001b3n);
  let state = last;
  for (const byte of Buffer.from(parts.map((part) => `${part}\0`).join('')).reverse()) {
    state = BigInt.asUintN(64, state * inverse) ^ BigInt(byte);
  }
  return state;
}

/** Inverse of an odd number modulo 2^64, by Newton's steps. */
function modularInverse(n: bigint): bigint {
  let inverse = n;
  for (let i = 0; i < 6; i++) inverse = BigInt.asUintN(64, inverse * (2n - n * inverse));
  return inverse;
}
