import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpanColumns, TurnColumns } from './columns.js';
import type { PathSegment } from './critical-path.js';
import { type PackedTurn, packTurn } from './pack-columns.js';

function turnOf(start: number[], end: number[], segments: PathSegment[]): TurnColumns {
  const none = start.map(() => -1);
  const spans: SpanColumns = {
    id: start.map(String),
    parent: none,
    name: none,
    kind: none,
    start,
    end,
    flags: none,
    who: none,
    label: none,
  };
  return { spans, path: { segments } } as unknown as TurnColumns;
}

/** As who reads it does. */
function read({ spans: { after, took }, path: { from, step, length, part } }: PackedTurn) {
  let time = 0;
  const start = after.map((gap) => {
    time += gap;
    return time;
  });
  const end = took.map((nanos, i) => (nanos === -1 ? -1 : (start[i] as number) + nanos));
  let span = 0;
  let at = from;
  const segments = step.map((gap, i) => {
    span += gap;
    const whole = (end[span] as number) - (start[span] as number);
    const segment = [span, at, at + (length[i] === 0 ? whole : (length[i] as number)), part[i]];
    at = segment[2] as number;
    return segment;
  });
  return { start, end, segments };
}

describe('packTurn', () => {
  it('says the same in smaller numbers', () => {
    const segments: PathSegment[] = [
      [0, 10, 30, 5],
      [1, 30, 90, 1],
      [-1, 90, 95, 5],
      [0, 95, 110, 5],
    ];
    const packed = packTurn(turnOf([10, 30, 20], [110, 90, -1], segments));
    expect(packed.spans).toMatchObject({ after: [10, 20, -10], took: [100, 60, -1] });
    expect(packed.spans).not.toHaveProperty('start');
    expect(packed.path).toMatchObject({ from: 10, step: [0, 1, -2, 1], length: [20, 0, 5, 15], part: [5, 1, 5, 5] });
  });

  it('loses nothing, whatever the times', () => {
    const time = fc.integer({ min: 0, max: 2 ** 52 });
    const span = fc.record({ start: time, took: fc.integer({ min: 0, max: 1000 }), isRunning: fc.boolean() });
    const pieces = fc.array(fc.record({ pick: fc.nat(), length: fc.integer({ min: 1, max: 1000 }) }));
    fc.assert(
      fc.property(fc.array(span, { minLength: 1 }), pieces, (spans, cuts) => {
        const start = spans.map((one) => one.start);
        const end = spans.map((one) => (one.isRunning ? -1 : one.start + one.took));
        let at = start[0] as number;
        const segments = cuts.map(({ pick, length }): PathSegment => {
          const from = at;
          at += length;
          return [pick % spans.length, from, at, 0];
        });
        expect(read(packTurn(turnOf(start, end, segments)))).toEqual({ start, end, segments });
      }),
    );
  });

  it('takes a turn without spans', () => {
    expect(packTurn(turnOf([], [], [])).path).toMatchObject({ from: 0, step: [], length: [], part: [] });
  });
});
