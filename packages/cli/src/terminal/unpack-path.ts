import type { CriticalPath, PackedPath, PathSegment, SpanColumns } from '../wire.js';

/** Where the time went, as live events tell it. @param spans as they are when the path is */
export function unpackPath(
  { parts, from, step, length, part }: PackedPath,
  { start, end }: Pick<SpanColumns, 'start' | 'end'>,
): CriticalPath {
  let span = 0;
  let time = from;
  const segments = step.map((by, at): PathSegment => {
    span += by;
    const begin = time;
    // 0 stands for all of a span that has ended.
    time += length[at] || (end[span] ?? 0) - (start[span] ?? 0);
    return [span, begin, time, part[at] ?? 0];
  });
  return { parts, segments };
}
