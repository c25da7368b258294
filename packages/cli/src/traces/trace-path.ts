import type { CriticalPath } from '../wire.js';
import { criticalPath, PART_NAMES, partsOf } from './critical-path.js';
import { pathSpan } from './path-span.js';
import type { StoredSpan } from './stored-span.js';
import type { Trace } from './trace.js';
import { spanOfTime } from './trace-row.js';

export type PathColumns = CriticalPath;

/** @param now in nanoseconds from the base of the trace */
export function pathOf(
  trace: Trace,
  spans: readonly StoredSpan[],
  parents: readonly number[],
  now: number,
): PathColumns {
  const { from, to } = spanOfTime(trace, now);
  const root = trace.isTurn && trace.root !== undefined ? spans.indexOf(trace.root) : -1;
  const children = new Map<number, number[]>();
  const reach = trace.running > 0 ? Math.max(now, trace.extent) : trace.extent;
  const path = spans.map((span, i) => {
    const parent = parents[i] as number;
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [i]);
    else list.push(i);
    const { start, end } = trace.timesOf(span);
    const { id, kind, source } = span;
    return pathSpan({ id, kind, source, start, end, isRoot: span === trace.root }, trace.base, reach);
  });
  const segments = criticalPath(path, (span) => children.get(span) ?? NONE, root, from, to);
  const sums = partsOf(segments);
  const parts = Object.fromEntries(PART_NAMES.map((name, i) => [name, sums[i] as number])) as PathColumns['parts'];
  return { parts, segments };
}

const NONE: readonly number[] = [];
