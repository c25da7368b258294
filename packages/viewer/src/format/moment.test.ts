import { describe, expect, it } from 'vitest';
import { formatAgo, formatMoment, formatWholeMoment, millisOf } from './moment.js';

const NOW = Date.UTC(2026, 10, 30, 12);

describe('moments', () => {
  it('are read from before 1970 and after 2100, and refused where no calendar goes', () => {
    expect(millisOf('1795988681496587128')).toBeCloseTo(1_795_988_681_496.587, 2);
    expect(millisOf('-1000000')).toBe(-1);
    expect(millisOf('9'.repeat(30))).toBeNaN();
    expect(millisOf('x')).toBeNaN();
    expect(formatMoment('9'.repeat(30), NOW)).toBe('no date');
    expect(formatWholeMoment('9'.repeat(30))).toContain('no calendar');
  });

  it('are short today and longer before', () => {
    const at = (millis: number) => formatMoment(String(BigInt(millis) * 1_000_000n), NOW);
    expect(at(NOW).length).toBeLessThan(at(NOW - 86_400_000 * 3).length);
    expect(at(NOW - 86_400_000 * 900)).toMatch(/24/);
  });

  it('say how long ago', () => {
    expect([0, 4_000, 240_000, 7_200_000, 864_000_000].map((gap) => formatAgo(NOW - gap, NOW))).toEqual([
      'just now',
      '4 s ago',
      '4 min ago',
      '2 h ago',
      '10 d ago',
    ]);
  });
});
