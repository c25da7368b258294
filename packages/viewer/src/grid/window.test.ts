import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenRows, scrollTopFor, unevenRows, windowOf } from './window.js';

describe('windowOf', () => {
  it('draws what is seen and a little more', () => {
    expect(windowOf(evenRows(20_000, 28), 28_000, 560)).toEqual({ first: 994, end: 1027 });
    expect(windowOf(evenRows(20_000, 28), 0, 560)).toEqual({ first: 0, end: 27 });
    expect(windowOf(evenRows(3, 28), 0, 560)).toEqual({ first: 0, end: 3 });
    expect(windowOf(evenRows(0, 28), 0, 560)).toEqual({ first: 0, end: 0 });
    expect(windowOf(evenRows(100, 28), 1e9, 560)).toEqual({ first: 93, end: 100 });
  });

  it('covers all that is seen of rows of any height', () => {
    const heights = fc.array(fc.integer({ min: 10, max: 200 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(heights, fc.nat(20_000), fc.integer({ min: 1, max: 900 }), (list, y, height) => {
        const rows = unevenRows(list);
        const { first, end } = windowOf(rows, y, height);
        expect(rows.top(first)).toBeLessThanOrEqual(Math.max(y, 0));
        expect(rows.top(end)).toBeGreaterThanOrEqual(Math.min(y + height, rows.top(list.length)));
        expect(end - first).toBeLessThanOrEqual(Math.ceil(height / 10) + 14);
      }),
    );
  });
});

describe('scrollTopFor', () => {
  const rows = evenRows(1000, 20);

  it('stays where the row is seen, goes no further than needed, and puts far rows in the middle', () => {
    expect(scrollTopFor(rows, 10, 100, 200)).toBe(100);
    expect(scrollTopFor(rows, 4, 100, 200)).toBe(80);
    expect(scrollTopFor(rows, 15, 100, 200)).toBe(120);
    expect(scrollTopFor(rows, 500, 100, 200)).toBe(9910);
    expect(scrollTopFor(rows, 0, 9000, 200)).toBe(0);
  });
});
