import { describe, expect, it } from 'vitest';
import type { ChangedSpans, TurnAnswer, TurnChange } from '../api/turn-answer.js';
import { applyChange } from './apply-change.js';

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

const spans = (index: number[], id: string[], end: number[], name = 0): ChangedSpans => ({
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

const change = (more: Partial<TurnChange>): TurnChange => ({
  from: 5,
  at: 6,
  base: '0',
  row: answer.row,
  texts: [],
  spans: spans([], [], []),
  links: [],
  incomplete: [],
  ...more,
});

describe('applyChange', () => {
  it('appends and changes spans, and leaves what was as it was', () => {
    const next = applyChange(
      answer,
      change({ at: 7, texts: ['b', 'z'], spans: spans([0, 1], ['x', 'y'], [90, -1], 1), incomplete: ['why'] }),
    );
    expect(next?.at).toBe(7);
    expect(next?.texts).toEqual(['a', 'z', 'b']);
    expect(next?.spans.name).toEqual([1, 1]);
    expect(next?.spans.id).toEqual(['x', 'y']);
    expect(next?.spans.end).toEqual([90, -1]);
    expect(answer.spans.end).toEqual([-1]);
    expect(next?.row).toBe(answer.row);
    expect([next?.path, next?.incomplete]).toEqual([answer.path, ['why']]);
  });

  it('takes where the time went along', () => {
    const parts = { model: 0, tools: 60, human: 0, children: 0, waiting: 0, agent: 30 };
    const path = { parts, from: 0, step: [0, 1, -1], length: [5, 0, 25], part: [5, 1, 5] };
    const next = applyChange(answer, change({ texts: ['b'], spans: spans([1], ['y'], [65]), path }));
    expect(next?.path).toEqual({
      parts,
      segments: [
        [0, 0, 5, 5],
        [1, 5, 65, 1],
        [0, 65, 90, 5],
      ],
    });
  });

  it('takes no change twice, and changes that overlap', () => {
    expect(applyChange(answer, change({ from: 3, at: 5, spans: spans([9], ['q'], [1]) }))).toBe(answer);
    const overlap = change({ from: 3, texts: ['b'], spans: spans([0], ['x'], [1]) });
    expect(applyChange(answer, overlap)?.spans.end).toEqual([1]);
  });

  it('asks again where something was missed', () => {
    expect(applyChange(answer, { reload: true })).toBeUndefined();
    expect(applyChange(answer, change({ from: 6, at: 8 }))).toBeUndefined();
    expect(applyChange(answer, change({ base: '1' }))).toBeUndefined();
    expect(applyChange(answer, change({ spans: spans([2], ['z'], [1]) }))).toBeUndefined();
    expect(applyChange(answer, change({ spans: spans([0], ['z'], [1]) }))).toBeUndefined();
  });

  it('takes where the time went also behind the spans that it is of', () => {
    const parts = { agent: 65, model: 0, tools: 5, human: 0, children: 0, waiting: 0 };
    const path = { parts, from: 0, step: [0], length: [70], part: [5] };
    const next = applyChange(answer, change({ at: answer.at, path }));
    expect(next?.path.parts).toEqual(parts);
    expect(next?.spans).toEqual(answer.spans);
  });
});
