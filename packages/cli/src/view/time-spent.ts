import type { HrTime } from '@hermes-observer/core';
import { criticalPath, PART_NAMES, partsOf, partsOfChildren } from '../traces/critical-path.js';
import { pathSpan, type TimedSpan } from '../traces/path-span.js';
import { nanosFrom } from '../traces/relative-time.js';
import { SPAN_KIND, viewKindOf } from '../traces/span-kind.js';
import type { PartList } from '../wire.js';
import type { TraceTree } from './tree.js';

type Parts = Readonly<Record<PartList[number], number>>;

/** Where the time of a trace went, in milliseconds, by the same rule as the page. */
export interface TimeSpent {
  /** Of a turn its own length, else from the first start to the last end. */
  readonly total: number;
  /** They add up to `total`. */
  readonly parts: Parts;
  /** What child agents spent theirs on; they add up to `parts.children`. */
  readonly inChildren: Parts;
}

/** @param first earliest start, @param last latest time of the trace */
export function timeSpent({ nodes, roots }: TraceTree, first: HrTime, last: HrTime): TimeSpent {
  const extent = nanosFrom(first, last) ?? 0;
  const places = new Map(nodes.map((node, i) => [node, i]));
  const timed = nodes.map(({ row }, i): TimedSpan => {
    const start = nanosFrom(first, row.start) ?? 0;
    const end = row.end === undefined ? -1 : Math.max(start, nanosFrom(first, row.end) ?? start);
    const kind = viewKindOf(row, row.parentSpanId !== undefined);
    return { id: row.spanId, kind, source: row, start, end, isRoot: nodes[i] === roots[0] };
  });
  const spans = timed.map((span) => pathSpan(span, first, extent));
  const isTurn = timed[0]?.kind === SPAN_KIND.turn && timed.filter(({ kind }) => kind === SPAN_KIND.turn).length === 1;
  const childrenOf = (span: number) =>
    (span === -1 ? roots : (nodes[span]?.children ?? [])).map((node) => places.get(node) as number);
  const { start: from, end: to } = (isTurn && spans[0]) || { start: 0, end: extent };
  const segments = criticalPath(spans, childrenOf, isTurn ? 0 : -1, from, to);
  return {
    total: Math.max(0, to - from) / 1e6,
    parts: named(partsOf(segments)),
    inChildren: named(partsOfChildren(segments, spans)),
  };
}

const named = (nanos: readonly number[]) =>
  Object.fromEntries(PART_NAMES.map((name, i) => [name, (nanos[i] ?? 0) / 1e6])) as Parts;
