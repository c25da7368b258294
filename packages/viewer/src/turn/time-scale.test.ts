import { describe, expect, it } from 'vitest';
import { barOf, growingEnd, ticksOf } from './time-scale.js';

describe('barOf', () => {
  const scale = { from: 1000, to: 2000 };
  it.each([
    [1000, 2000, { left: 0, width: 100 }],
    [1250, 1500, { left: 25, width: 25 }],
    [0, 1500, { left: 0, width: 50 }],
    [1900, 9000, { left: 90, width: 10 }],
    [2000, 2000, { left: 99.85, width: 0.15 }],
    [2001, 2002, undefined],
    [0, 999, undefined],
  ])('%d to %d', (start, end, bar) => {
    const found = barOf(scale, start, end);
    if (bar === undefined) expect(found).toBeUndefined();
    else {
      expect(found?.left).toBeCloseTo(bar.left);
      expect(found?.width).toBeCloseTo(bar.width);
    }
  });

  it('shows a point of a turn without length', () => {
    expect(barOf({ from: 0, to: 0 }, 0, 0)).toEqual({ left: 0, width: 0.15 });
  });
});

describe('ticksOf', () => {
  const labels = (from: number, to: number) => ticksOf({ from, to }, 5).map(({ label }) => label);
  it('are at round times', () => {
    expect(labels(0, 1e9)).toEqual(['0', '200 ms', '400 ms', '600 ms', '800 ms']);
    expect(labels(0, 12e9)).toEqual(['0', '5 s', '10 s']);
    expect(labels(0, 200e9)).toEqual(['0', '1 m', '2 m', '3 m']);
    expect(labels(3.1e9, 3.6e9)).toEqual(['3.1 s', '3.2 s', '3.3 s', '3.4 s', '3.5 s']);
    expect(labels(0, 5 * 3600e9)[1]).toBe('1 h');
    expect(labels(0, 400).length).toBeLessThan(8);
    expect(labels(0, 0)).toEqual([]);
  });
});

describe('growingEnd', () => {
  it('leaps ahead of what runs', () => {
    expect(growingEnd(10e9, 9e9)).toBe(10e9);
    expect(growingEnd(10e9, 11e9)).toBeCloseTo(14.3e9);
    expect(growingEnd(0, 1)).toBe(1e9 + 1);
  });
});
