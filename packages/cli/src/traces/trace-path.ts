import type { CriticalPath } from '../wire.js';
import { criticalPath, PART, PART_NAMES, type Part, type PathSpan, partsOf } from './critical-path.js';
import { retryWaits } from './retry-waits.js';
import { isDecidedByModel, SPAN_KIND } from './span-kind.js';
import { factsOf } from './span-source.js';
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
    return pathSpan(trace, span, reach);
  });
  const segments = criticalPath(path, (span) => children.get(span) ?? NONE, root, from, to);
  const sums = partsOf(segments);
  const parts = Object.fromEntries(PART_NAMES.map((name, i) => [name, sums[i] as number])) as PathColumns['parts'];
  return { parts, segments };
}

const NONE: readonly number[] = [];

function pathSpan(trace: Trace, span: StoredSpan, reach: number): PathSpan {
  const { start, end } = trace.timesOf(span);
  const isRequest = span.kind === SPAN_KIND.request || span.kind === SPAN_KIND.auxiliary;
  return {
    id: span.id,
    start,
    end: end === -1 ? Math.max(start, reach) : end,
    part: partOf(span),
    // The trace of a child alone is its own.
    isChildAgent: span.kind === SPAN_KIND.child && span !== trace.root,
    waits: isRequest ? retryWaits(span.source, trace.base, end === -1 ? undefined : end) : NO_WAITS,
  };
}

const NO_WAITS: PathSpan['waits'] = [];

function partOf({ kind, source }: StoredSpan): Part {
  switch (kind) {
    case SPAN_KIND.request:
    case SPAN_KIND.auxiliary:
      return PART.model;
    case SPAN_KIND.tool:
      return PART.tools;
    case SPAN_KIND.approval:
      return isDecidedByModel(factsOf(source)) ? PART.agent : PART.human;
    case SPAN_KIND.human:
      return PART.human;
    default:
      return PART.agent;
  }
}
