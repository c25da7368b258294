import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatShares } from './duration.js';

describe('formatDuration', () => {
  it.each([
    [0, '0'],
    [1, '1 ns'],
    [999, '999 ns'],
    [420_000, '420 µs'],
    [999_499, '999 µs'],
    [999_600, '1.00 ms'],
    [86_300_000, '86.3 ms'],
    [999_600_000, '1.00 s'],
    [1_250_000_000, '1.25 s'],
    [59_949_000_000, '59.9 s'],
    [59_960_000_000, '1 m 00 s'],
    [125_000_000_000, '2 m 05 s'],
    [3_599_600_000_000, '1 h 00 m'],
    [11_520_000_000_000, '3 h 12 m'],
    [187_200_000_000_000, '2 d 4 h'],
    [-1_250_000_000, '−1.25 s'],
  ])('shows %d ns as %s', (nanos, text) => {
    expect(formatDuration(nanos)).toBe(text);
  });
});

describe('formatShares', () => {
  it('shows parts that add up to the sum that is shown', () => {
    const part = fc.integer({ min: 0, max: 50_000_000_000 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 6, maxLength: 6 }), (parts) => {
        const sum = parts.reduce((total, one) => total + one, 0);
        fc.pre(sum > 0 && sum < 60e9);
        const { parts: shown, total } = formatShares(parts);
        const tenths = (text: string) => Math.round(Number.parseFloat(text) * 100);
        expect(shown.reduce((all, { text }) => all + tenths(text), 0)).toBe(tenths(total));
        expect(shown.reduce((all, { percent }) => all + percent, 0)).toBe(100);
      }),
    );
  });

  it('is calm about nothing', () => {
    expect(formatShares([0, 0])).toEqual({
      parts: [
        { text: '0 µs', percent: 0 },
        { text: '0 µs', percent: 0 },
      ],
      total: '0 µs',
    });
  });

  it('counts minutes in whole seconds', () => {
    expect(formatShares([90.4e9, 30.6e9]).parts.map(({ text }) => text)).toEqual(['1 m 30 s', '31 s']);
  });
});
