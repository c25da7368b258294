import type { PartList, PathSegment } from '../wire.js';

/** Whose time it is. The numbers go over the wire. */
export const PART = { model: 0, tools: 1, human: 2, children: 3, waiting: 4, agent: 5 } as const;
export const PART_NAMES: PartList = ['model', 'tools', 'human', 'children', 'waiting', 'agent'];
export type { PathSegment } from '../wire.js';
export type Part = (typeof PART)[keyof typeof PART];

/** A span as the critical path sees it. Times are whole nanoseconds of one clock. */
export interface PathSpan {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** Whose its own time is. */
  readonly part: Part;
  /** All below it but waits for a person counts as `children`. */
  readonly isChildAgent: boolean;
  /** Within a request: from a failed attempt to the next one, in time order, without overlap. */
  readonly waits: readonly (readonly [from: number, to: number])[];
}

interface Frame {
  readonly span: number;
  readonly isInChild: boolean;
  readonly from: number;
  readonly children: readonly Clipped[];
  next: number;
  cursor: number;
}

interface Clipped {
  readonly span: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Who kept the trace from ending sooner, for each moment from `from` to `to`: the child that ended last before a moment has
 * the time up to its end, and what no child has is the span's own. The segments come in time order and sum to `to - from`.
 * Each span is looked at once, so the work is that of sorting the children.
 *
 * @param root index of the span to begin with, -1 for a trace without one; then `childrenOf(-1)` are its top spans
 */
export function criticalPath(
  spans: readonly PathSpan[],
  childrenOf: (span: number) => readonly number[],
  root: number,
  from: number,
  to: number,
): PathSegment[] {
  const segments: PathSegment[] = [];
  const own = ({ span, isInChild }: Frame, start: number, end: number) => {
    if (end > start) ownTime(segments, spans[span], span, isInChild, start, end);
  };
  const frameOf = (span: number, start: number, end: number, isInChild: boolean): Frame => ({
    span,
    isInChild,
    from: start,
    children: clipped(spans, childrenOf(span), start, end),
    next: 0,
    cursor: end,
  });
  const stack: Frame[] = to > from ? [frameOf(root, from, to, false)] : [];
  for (;;) {
    const frame = stack.at(-1);
    if (frame === undefined) break;
    const child = frame.children[frame.next++];
    if (child === undefined) {
      own(frame, frame.from, frame.cursor);
      stack.pop();
      continue;
    }
    if (child.start >= frame.cursor) continue;
    const end = Math.min(child.end, frame.cursor);
    own(frame, end, frame.cursor);
    frame.cursor = child.start;
    // All later children end sooner, but may start before this one: they have what lies before it.
    stack.push(frameOf(child.span, child.start, end, frame.isInChild || (spans[child.span] as PathSpan).isChildAgent));
  }
  return segments.reverse();
}

/** Children with any time between `from` and `to`, cut to it; the one that ended last comes first. */
function clipped(spans: readonly PathSpan[], children: readonly number[], from: number, to: number): Clipped[] {
  const list: Clipped[] = [];
  for (const span of children) {
    const { start, end } = spans[span] as PathSpan;
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (last > first) list.push({ span, start: first, end: last });
  }
  return list.sort((a, b) => b.end - a.end || b.start - a.start || compareIds(spans, a, b));
}

function compareIds(spans: readonly PathSpan[], a: Clipped, b: Clipped): number {
  const [first, second] = [(spans[a.span] as PathSpan).id, (spans[b.span] as PathSpan).id];
  return first < second ? -1 : first > second ? 1 : a.span - b.span;
}

/** Adds a stretch of a span's own, the latest first, as all segments are until the end. */
function ownTime(
  segments: PathSegment[],
  span: PathSpan | undefined,
  index: number,
  isInChild: boolean,
  from: number,
  to: number,
): void {
  const part = span?.part ?? PART.agent;
  if (isInChild) {
    segments.push([index, from, to, part === PART.human ? part : PART.children]);
    return;
  }
  let end = to;
  const waits = span?.waits ?? [];
  for (let i = waits.length - 1; i >= 0 && end > from; i--) {
    const [begin, last] = waits[i] as PathSpan['waits'][number];
    const [start, stop] = [Math.max(begin, from), Math.min(last, end)];
    if (stop <= start) continue;
    if (end > stop) segments.push([index, stop, end, part]);
    segments.push([index, start, stop, PART.waiting]);
    end = start;
  }
  if (end > from) segments.push([index, from, end, part]);
}

/** Nanoseconds by whose they are, in the order of `PART_NAMES`. */
export function partsOf(segments: readonly PathSegment[]): number[] {
  const sums = PART_NAMES.map(() => 0);
  for (const [, from, to, part] of segments) sums[part] = (sums[part] as number) + (to - from);
  return sums;
}

/** What child agents spent their part on, in the order of `PART_NAMES`: sums to it. */
export function partsOfChildren(segments: readonly PathSegment[], spans: readonly PathSpan[]): number[] {
  const own: PathSegment[] = [];
  for (const [span, from, to, part] of segments) {
    if (part === PART.children) ownTime(own, spans[span], span, false, from, to);
  }
  return partsOf(own);
}
