import { describe, expect, it } from 'vitest';
import type { TurnAnswer } from '../api/turn-answer.js';
import { applyChange, type TurnChange } from './apply-change.js';

const answer = {
  row: { trace: 't', duration: null },
  base: '0',
  at: 5,
  texts: ['a', 'z'],
  spans: { id: ['x'], parent: [-1], name: [0], kind: [0], start: [0], end: [-1], flags: [16], who: [-1], label: [-1] },
  path: { parts: {}, segments: [] },
  links: [],
  incomplete: [],
} as unknown as TurnAnswer;

const spans = (index: number[], id: string[], end: number[], name = 0): NonNullable<TurnChange['spans']> => ({
  index,
  id,
  parent: id.map(() => 0),
  name: id.map(() => name),
  kind: id.map(() => 4),
  start: id.map(() => 5),
  end,
  flags: id.map(() => 0),
  who: id.map(() => -1),
  label: id.map(() => -1),
});

describe('applyChange', () => {
  it('appends and changes spans, and leaves what was as it was', () => {
    const change = { from: 5, at: 7, base: '0', texts: ['b', 'z'], spans: spans([0, 1], ['x', 'y'], [90, -1], 1) };
    const next = applyChange(answer, change);
    expect(next?.at).toBe(7);
    expect(next?.texts).toEqual(['a', 'z', 'b']);
    expect(next?.spans.name).toEqual([1, 1]);
    expect(next?.spans.id).toEqual(['x', 'y']);
    expect(next?.spans.end).toEqual([90, -1]);
    expect(answer.spans.end).toEqual([-1]);
    expect(next?.row).toBe(answer.row);
  });

  it('takes no change twice, and changes that overlap', () => {
    expect(applyChange(answer, { from: 3, at: 5, spans: spans([9], ['q'], [1]) })).toBe(answer);
    expect(applyChange(answer, { from: 3, at: 6, texts: ['b'], spans: spans([0], ['x'], [1]) })?.spans.end).toEqual([
      1,
    ]);
  });

  it('asks again where something was missed', () => {
    expect(applyChange(answer, { reload: true })).toBeUndefined();
    expect(applyChange(answer, { from: 6, at: 8 })).toBeUndefined();
    expect(applyChange(answer, { from: 5, at: 6, base: '1' })).toBeUndefined();
    expect(applyChange(answer, { spans: spans([2], ['z'], [1]) })).toBeUndefined();
    expect(applyChange(answer, { spans: spans([0], ['z'], [1]) })).toBeUndefined();
  });
});
