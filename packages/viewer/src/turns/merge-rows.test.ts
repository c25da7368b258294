import { describe, expect, it } from 'vitest';
import type { TurnRow } from '../api/turn-row.js';
import { mergeRows } from './merge-rows.js';

const row = (trace: string, start: number, duration: number | null = 5): TurnRow => ({
  trace,
  session: null,
  turn: null,
  name: trace,
  agent: null,
  model: null,
  service: null,
  start: String(start),
  duration,
  outcome: duration === null ? 'running' : 'completed',
  tokens: { input: null, cached: null, output: null },
  cost: null,
  requests: 0,
  tools: 0,
  errors: 0,
  blocked: 0,
  cancelled: 0,
  children: 0,
  spans: 1,
  running: 0,
  blockedCalls: [],
  waitsForHuman: false,
  waitingCalls: [],
  excerpt: null,
});
const traces = (rows: readonly TurnRow[]) => rows.map(({ trace }) => trace);

describe('mergeRows', () => {
  it('puts live ones on top, and those that ended where they belong', () => {
    const before = [row('live', 10, null), row('new', 30), row('old', 5)];
    expect(traces(mergeRows(before, [row('newer', 40), row('live2', 1, null)]))).toEqual([
      'live',
      'live2',
      'newer',
      'new',
      'old',
    ]);
    const ended = mergeRows(before, [row('live', 10, 7)]);
    expect(traces(ended)).toEqual(['new', 'live', 'old']);
    expect(ended[1]?.duration).toBe(7);
  });

  it('leaves what is older than the loaded pages to its page', () => {
    expect(traces(mergeRows([row('b', 20), row('a', 10)], [row('z', 5), row('c', 15)], '10'))).toEqual(['b', 'c', 'a']);
  });
});
