import type { StoredSpan } from './stored-span.js';
import type { Trace } from './trace.js';

/** The spans of a trace in an order, and where each one's parent stands in it. */
export interface Layout {
  readonly spans: readonly StoredSpan[];
  /** -1 for none, one that did not come, or one that hangs below its own child. */
  readonly parents: Int32Array;
}

/**
 * Spans depth-first, children by start. Linear but for one sort, whatever the tree is like: deep, wide, or in rings, which
 * are cut at the span that began first.
 */
export function depthFirst(trace: Trace): Layout {
  const { spans } = trace;
  const count = spans.length;
  const starts = spans.map((span) => trace.timesOf(span).start);
  const bySpan = new Map(spans.map((span, i) => [span, i]));
  const above = spans.map(({ parentId }) => {
    const parent = parentId === '' ? undefined : trace.find(parentId);
    return parent === undefined ? -1 : (bySpan.get(parent) as number);
  });
  const order = Array.from(spans.keys()).sort((a, b) => (starts[a] as number) - (starts[b] as number) || a - b);
  // Lists of children as links: the first below a span, and the next beside one.
  const first = new Int32Array(count).fill(-1);
  const beside = new Int32Array(count).fill(-1);
  for (let i = count - 1; i >= 0; i--) {
    const span = order[i] as number;
    const parent = above[span] as number;
    if (parent === -1) continue;
    beside[span] = first[parent] as number;
    first[parent] = span;
  }
  const places = new Int32Array(count).fill(-1);
  const laid: number[] = [];
  const parents = new Int32Array(count).fill(-1);
  const walk = (top: number) => {
    const stack = [top];
    for (let span = stack.pop(); span !== undefined; span = stack.pop()) {
      const parent = above[span] as number;
      if (span !== top) parents[laid.length] = places[parent] as number;
      places[span] = laid.length;
      laid.push(span);
      const children: number[] = [];
      for (let child = first[span] as number; child !== -1; child = beside[child] as number) {
        if (places[child] === -1 && child !== top) children.push(child);
      }
      for (let i = children.length - 1; i >= 0; i--) stack.push(children[i] as number);
    }
  };
  for (const span of order) if (above[span] === -1) walk(span);
  // What is left hangs in rings.
  for (const span of order) if (places[span] === -1) walk(span);
  return { spans: laid.map((i) => spans[i] as StoredSpan), parents };
}

/** What was given out of a trace: who has it can be told of changes by index. */
export class LaidOut {
  /** Of the trace, when it was laid out. */
  readonly generation: number;
  readonly spans: StoredSpan[];
  readonly parents: number[];

  constructor(trace: Trace) {
    const { spans, parents } = depthFirst(trace);
    this.generation = trace.generation;
    this.spans = [...spans];
    this.parents = Array.from(parents);
    this.spans.forEach((span, i) => {
      span.index = i;
    });
  }

  /** The index of a span; one that came since goes to the end. */
  place(trace: Trace, span: StoredSpan): number {
    if (this.spans[span.index] === span) return span.index;
    const parent = span.parentId === '' ? undefined : trace.find(span.parentId);
    const above = parent === undefined ? -1 : this.place(trace, parent);
    span.index = this.spans.length;
    this.spans.push(span);
    this.parents.push(above);
    return span.index;
  }
}

/** The order that holds for who follows the trace; nobody does, or it does not hold any more: a new one, depth-first. */
export function laidOutOf(trace: Trace): LaidOut {
  const known = trace.laid;
  if (known !== undefined && known.generation === trace.generation) {
    if (known.spans.length === trace.spans.length) return known;
    if (trace.followers > 0) {
      for (const span of trace.spans) known.place(trace, span);
      return known;
    }
  }
  trace.laid = new LaidOut(trace);
  return trace.laid;
}
