import { expect, it } from 'vitest';
import type { CriticalPath } from '../api/turn-answer.js';
import { partsUntil } from './path-growth.js';

it('lets the last stretch of a running turn grow, and nothing else', () => {
  const path: CriticalPath = {
    parts: { model: 10, tools: 0, human: 20, children: 0, waiting: 0, agent: 5 },
    segments: [
      [0, 0, 5, 5],
      [1, 5, 15, 0],
      [2, 15, 35, 2],
    ],
  };
  expect(partsUntil(path, true, 95)).toEqual([10, 0, 80, 0, 0, 5]);
  expect(partsUntil(path, true, 10)).toEqual([10, 0, 20, 0, 0, 5]);
  expect(partsUntil(path, false, 95)).toEqual([10, 0, 20, 0, 0, 5]);
});
