import type { CriticalPath, PathSegment, SpanColumns, TurnAnswer } from './turn-answer.js';

/**
 * A turn as it is sent: numbers that are small, since most of a large answer are digits of times.
 * `after` is the start of a span from that of the one before it in the list, `took` its duration, -1 while it runs.
 */
export interface PackedSpans extends Omit<SpanColumns, 'start' | 'end'> {
  readonly after: readonly number[];
  readonly took: readonly number[];
}

/** Segments follow one another from `from` on; `step` is the span from that of the segment before, `length` 0 where it is all of its span. */
export interface PackedPath extends Pick<CriticalPath, 'parts'> {
  readonly from: number;
  readonly step: readonly number[];
  readonly length: readonly number[];
  readonly part: readonly number[];
}

export type PackedTurn = Omit<TurnAnswer, 'spans' | 'path'> & {
  readonly spans: PackedSpans | SpanColumns;
  readonly path: PackedPath | CriticalPath;
};

/** The turn with its times in full; one that was sent in full is left as it is. */
export function unpackTurn(turn: PackedTurn): TurnAnswer {
  const spans = 'after' in turn.spans ? unpackSpans(turn.spans) : turn.spans;
  const path = 'step' in turn.path ? unpackPath(turn.path, spans) : turn.path;
  return { ...turn, spans, path };
}

function unpackSpans({ after, took, ...columns }: PackedSpans): SpanColumns {
  const start: number[] = [];
  const end: number[] = [];
  let time = 0;
  for (let span = 0; span < after.length; span++) {
    time += after[span] ?? 0;
    const length = took[span] ?? -1;
    start.push(time);
    end.push(length === -1 ? -1 : time + length);
  }
  return { ...columns, start, end };
}

function unpackPath({ parts, from, step, length, part }: PackedPath, { start, end }: SpanColumns): CriticalPath {
  const segments: PathSegment[] = [];
  let span = 0;
  let time = from;
  for (let at = 0; at < step.length; at++) {
    span += step[at] ?? 0;
    const whole = (end[span] ?? 0) - (start[span] ?? 0);
    const until = time + (length[at] === 0 ? whole : (length[at] ?? 0));
    segments.push([span, time, until, part[at] ?? 0]);
    time = until;
  }
  return { parts, segments };
}
