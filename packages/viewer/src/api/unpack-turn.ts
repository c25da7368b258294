import type {
  CriticalPath,
  PackedPath,
  PackedSpans,
  PackedTurn,
  PathSegment,
  SpanColumns,
  TurnAnswer,
} from './turn-answer.js';

/** The turn with its times in full. */
export function unpackTurn(turn: PackedTurn): TurnAnswer {
  const spans = unpackSpans(turn.spans);
  return { ...turn, spans, path: unpackPath(turn.path, spans) };
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

/** @param spans as they are when the path is */
export function unpackPath({ parts, from, step, length, part }: PackedPath, { start, end }: SpanColumns): CriticalPath {
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
