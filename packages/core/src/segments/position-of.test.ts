import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FRAME_HEADER_BYTES, FrameEncoder } from './frame.js';
import { positionOf } from './position-of.js';

it('a frame says at which position it is good, whatever its length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.maxSafeNat(), (payload, position) => {
      const frame = Buffer.concat(new FrameEncoder().encode([payload], position, 1_764_450_000_000));
      expect(positionOf(frame, 0, FRAME_HEADER_BYTES + payload.length)).toBe(position % 2 ** 32);
    }),
  );
});
