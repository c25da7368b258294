import { expect, it } from 'vitest';
import type { CriticalPath } from '../api/turn-answer.js';
import { largestSegment } from './largest-segment.js';

it('finds the longest stretch of a part', () => {
  const path = {
    segments: [
      [0, 0, 10, 5],
      [1, 10, 40, 0],
      [2, 40, 45, 1],
      [3, 45, 75, 0],
    ],
  } as unknown as CriticalPath;
  expect(largestSegment(path, 0)?.[0]).toBe(1);
  expect(largestSegment(path, 1)?.[0]).toBe(2);
  expect(largestSegment(path, 3)).toBeUndefined();
});
