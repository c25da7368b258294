import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_HEADER_BYTES, FrameEncoder, frameLength, framesBytes, frameTime, isIntact } from './frame.js';

const encoder = new FrameEncoder();
const encode = (payloads: Uint8Array[], first: number, time = 1_764_000_000_000) =>
  Buffer.concat(encoder.encode(payloads, first, time));

function decode(bytes: Buffer, first: number): { payloads: Buffer[]; times: number[] } {
  const payloads: Buffer[] = [];
  const times: number[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const length = frameLength(bytes, offset) ?? 0;
    if (!isIntact(bytes, offset, length, first + payloads.length)) break;
    payloads.push(bytes.subarray(offset + FRAME_HEADER_BYTES, offset + length));
    times.push(frameTime(bytes, offset));
    offset += length;
  }
  return { payloads, times };
}

describe('a frame', () => {
  it('gives its payload, position and time back, copied or not', () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.integer({ min: 32_000, max: 33_500 }).map((length) => new Uint8Array(length).fill(length)),
    );
    fc.assert(
      fc.property(
        fc.array(payload, { maxLength: 12 }),
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 20 }),
        fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        (payloads, first, time) => {
          const bytes = encode(payloads, first, time);
          expect(bytes.length).toBe(framesBytes(payloads));
          const read = decode(bytes, first);
          expect(read.payloads).toHaveLength(payloads.length);
          expect(read.payloads.every((found, i) => found.equals(payloads[i] ?? found))).toBe(true);
          expect(read.times).toEqual(payloads.map(() => time));
        },
      ),
    );
  });

  it('is good at its own position only', () => {
    const bytes = encode([Buffer.from('a')], 7);
    expect(isIntact(bytes, 0, bytes.length, 7)).toBe(true);
    expect(isIntact(bytes, 0, bytes.length, 8)).toBe(false);
  });

  it('is not found in zeros, nor with a length beyond the bound', () => {
    expect(frameLength(Buffer.alloc(64), 0)).toBeUndefined();
    expect(frameLength(Buffer.alloc(64, 0xff), 0)).toBeUndefined();
  });

  it('takes more than the memory that is used again', () => {
    const payloads = Array.from({ length: 200 }, (_, i) => Buffer.alloc(20_000, i));
    expect(decode(encode(payloads, 0), 0).payloads).toHaveLength(200);
  });
});
