import { expect, it } from 'vitest';
import { RecentMap, weightOf } from './recent-map.js';

it('lets go of the oldest by number and by weight, and counts right when entries are replaced', () => {
  const map = new RecentMap<number>(3, 100);
  for (let i = 0; i < 5; i++) map.set(`k${i}`, i, 10);
  expect([map.size, map.get('k1'), map.get('k2')]).toEqual([3, undefined, 2]);
  map.set('k3', 33, 85);
  expect([map.get('k2'), map.get('k4'), map.get('k3')]).toEqual([undefined, 4, 33]);
  map.set('heavy', 1, 101);
  expect(map.size).toBe(0);
  for (let i = 0; i < 1000; i++) map.set('same', i, 90);
  map.delete('same');
  map.set('a', 1, 100);
  expect(map.get('a')).toBe(1);
});

it('weighs what JSON has', () => {
  expect(weightOf({ a: 'x'.repeat(1000), b: [1, 'yy'] })).toBeGreaterThan(1000);
  expect(weightOf(new Map([['a', 'x'.repeat(1000)]]))).toBeLessThan(100);
});
