import { expect, it } from 'vitest';
import { agoOf, leftOf } from './time-left.js';

it('says how long is left, never more than there is', () => {
  const ms = [3_599_999, 7_200_000, 119_999, 172_800_000, 0, -5, 500];
  expect(ms.map((left) => leftOf(1_000_000 + left, 1_000_000))).toEqual([
    '59 min left',
    '2 h left',
    '119 s left',
    '2 days left',
    'no time left',
    'no time left',
    '0 s left',
  ]);
  expect(leftOf(null, 5)).toBe('no time limit');
});

it('says how long ago', () => {
  expect([agoOf(5, 900), agoOf(9, 5), agoOf(0, 180_000)]).toEqual(['now', 'now', '3 min ago']);
});
