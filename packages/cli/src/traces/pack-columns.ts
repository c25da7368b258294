import type { SpanColumns, TurnColumns } from './columns.js';
import type { PathSegment } from './critical-path.js';
import type { PathColumns } from './trace-path.js';

/** Times as small numbers: most of a large turn are the digits of times, and near ones differ by little. */
export interface PackedSpans extends Omit<SpanColumns, 'start' | 'end'> {
  /** Start, from that of the span before it in the list; of the first one from the base. */
  readonly after: number[];
  /** Duration, -1 while it runs. */
  readonly took: number[];
}

/** Segments follow one another without a gap. */
export interface PackedPath {
  readonly parts: PathColumns['parts'];
  /** Where the first one begins. */
  readonly from: number;
  /** Index of the span, from that of the segment before. */
  readonly step: number[];
  /** Nanoseconds; 0 for all of a span that has ended, which is most. */
  readonly length: number[];
  readonly part: number[];
}

export type PackedTurn = Omit<TurnColumns, 'spans' | 'path'> & {
  readonly spans: PackedSpans;
  readonly path: PackedPath;
};

/** The same turn in about two thirds of the bytes, compressed. */
export function packTurn(turn: TurnColumns): PackedTurn {
  return { ...turn, spans: packSpans(turn.spans), path: packPath(turn.path, turn.spans) };
}

function packSpans({ start, end, ...columns }: SpanColumns): PackedSpans {
  let before = 0;
  const after = start.map((time) => {
    const gap = time - before;
    before = time;
    return gap;
  });
  return { ...columns, after, took: end.map((time, i) => (time === -1 ? -1 : time - (start[i] as number))) };
}

function packPath({ parts, segments }: PathColumns, spans: SpanColumns): PackedPath {
  let before = 0;
  const step = segments.map(([span]) => {
    const gap = span - before;
    before = span;
    return gap;
  });
  return {
    parts,
    from: segments[0]?.[1] ?? 0,
    step,
    length: segments.map((segment) => (isWhole(segment, spans) ? 0 : segment[2] - segment[1])),
    part: segments.map(([, , , part]) => part),
  };
}

const isWhole = ([span, from, to]: PathSegment, { start, end }: SpanColumns) =>
  span >= 0 && from === start[span] && to === end[span];
