import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.js';

const HOUR = 3_600_000;

describe('formatDuration', () => {
  it.each([
    [0, '0'],
    [0.0004, '0'],
    [0.001, '1µs'],
    [0.9994, '999µs'],
    [0.9996, '1.00ms'],
    [1.236, '1.24ms'],
    [9.996, '10.0ms'],
    [99.96, '100ms'],
    [412.4, '412ms'],
    [999.6, '1.00s'],
    [1840, '1.84s'],
    [59_940, '59.9s'],
    [59_960, '1m 00s'],
    [62_000, '1m 02s'],
    [3_599_700, '1h 00m'],
    [3 * HOUR + 7 * 60_000, '3h 07m'],
    [23.999 * HOUR, '1d 00h'],
    [53 * HOUR, '2d 05h'],
    [120 * 24 * HOUR, '120d'],
    [-5, '-5.00ms'],
    [Number.NaN, '?'],
  ])('writes %d ms as %s', (millis, expected) => {
    expect(formatDuration(millis)).toBe(expected);
  });

  it('needs at most 7 columns up to a thousand years', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 3.2e13, noNaN: true }), (millis) => {
        expect(formatDuration(millis).length).toBeLessThanOrEqual(7);
      }),
    );
  });
});
