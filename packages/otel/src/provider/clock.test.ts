import type { HrTime } from '@opentelemetry/api';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBefore, timeBetween, toHrTime } from './clock.js';

const millis = ([seconds, nanos]: HrTime) => seconds * 1000 + Math.floor(nanos / 1e6);

describe('toHrTime', () => {
  it('gives back a valid tuple itself', () => {
    const time: HrTime = [1_790_000_000, 1];
    expect(toHrTime(time)).toBe(time);
  });

  it.each([
    [
      [1, 2e9],
      [3, 0],
    ],
    [
      [1.5, 0],
      [1, 500_000_000],
    ],
    [
      [5, -1],
      [4, 999_999_999],
    ],
    [
      [-5, 0],
      [0, 0],
    ],
  ] as [HrTime, HrTime][])('mends %j to %j', (input, expected) => {
    expect(toHrTime(input)).toEqual(expected);
  });

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY], [new Date('never')], ['text'], [[Number.NaN, 0]], [undefined]])(
    'takes %j for now',
    (input) => {
      const before = Date.now();
      expect(millis(toHrTime(input as never))).toBeGreaterThanOrEqual(before);
    },
  );

  it('gives whole, valid tuples for any number of milliseconds', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e9, max: 4e12, noNaN: true }), (input) => {
        const [seconds, nanos] = toHrTime(input);
        expect(Number.isInteger(seconds) && Number.isInteger(nanos)).toBe(true);
        expect(nanos >= 0 && nanos < 1e9).toBe(true);
        expect(Math.abs(seconds * 1000 + nanos / 1e6 - input)).toBeLessThan(0.001);
      }),
    );
  });

  it('measures what lies between two times exactly', () => {
    const part = fc.tuple(fc.integer({ min: 0, max: 4e9 }), fc.integer({ min: 0, max: 999_999_999 }));
    const nanosOf = ([s, n]: HrTime) => BigInt(s) * 1_000_000_000n + BigInt(n);
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [from, to] = isBefore(b, a) ? [b, a] : [a, b];
        expect(nanosOf(timeBetween(from, to))).toBe(nanosOf(to) - nanosOf(from));
      }),
    );
  });
});
