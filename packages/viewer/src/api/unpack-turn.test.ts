import { describe, expect, it } from 'vitest';
import type { PackedTurn, TurnAnswer } from './turn-answer.js';
import { unpackTurn } from './unpack-turn.js';

const text = {
  id: ['a', 'b', 'c'],
  parent: [-1, 0, 0],
  name: [0, 0, 0],
  kind: [0, 4, 4],
  flags: [0, 0, 16],
  who: [-1, -1, -1],
  label: [-1, -1, -1],
};
const parts = { model: 0, tools: 60, human: 0, children: 0, waiting: 0, agent: 40 };
const whole = {
  base: '7',
  spans: { ...text, start: [10, 30, 20], end: [110, 90, -1] },
  path: {
    parts,
    segments: [
      [0, 10, 30, 5],
      [1, 30, 90, 1],
      [0, 90, 110, 5],
    ],
  },
} as unknown as TurnAnswer;

describe('unpackTurn', () => {
  it('gives times in full', () => {
    const packed = {
      base: '7',
      spans: { ...text, after: [10, 20, -10], took: [100, 60, -1] },
      path: { parts, from: 10, step: [0, 1, -1], length: [20, 0, 20], part: [5, 1, 5] },
    } as unknown as PackedTurn;
    expect(unpackTurn(packed)).toEqual(whole);
  });
});
