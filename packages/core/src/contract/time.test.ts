import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTime, formatUnixNano, type HrTime, minusMillis, now, parseUnixNano } from './time.js';

const millis = ([seconds, nanos]: HrTime) => seconds * 1000 + Math.floor(nanos / 1e6);

describe('now', () => {
  it('lies in the millisecond of Date.now() and never goes back', () => {
    let last = now();
    for (let i = 0; i < 20_000; i++) {
      const before = Date.now();
      const current = now();
      expect(millis(current)).toBeGreaterThanOrEqual(before);
      expect(millis(current)).toBeLessThanOrEqual(Date.now());
      expect(compareTime(current, last)).toBeGreaterThanOrEqual(0);
      last = current;
    }
  });

  it('tells times within a millisecond apart', () => {
    const times = new Set(Array.from({ length: 1000 }, () => now()[1]));
    expect(times.size).toBeGreaterThan(100);
  });
});

describe('parseUnixNano', () => {
  it('reads what formatUnixNano writes', () => {
    fc.assert(
      fc.property(fc.nat(4_000_000_000), fc.nat(999_999_999), (seconds, nanos) => {
        expect(parseUnixNano(formatUnixNano([seconds, nanos]))).toEqual([seconds, nanos]);
      }),
    );
  });

  it.each([[''], ['-1'], ['1.5'], ['1e9'], [' 1'], [17], [null], ['9'.repeat(25)]])('refuses %j', (text) => {
    expect(parseUnixNano(text)).toBeUndefined();
  });
});

describe('minusMillis', () => {
  it('borrows from the seconds and stops at the epoch', () => {
    expect(minusMillis([5, 1_000_000], 2.5)).toEqual([4, 998_500_000]);
    expect(minusMillis([1, 0], 5_000)).toEqual([0, 1]);
  });
});
