import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  criticalPath,
  PART,
  type Part,
  type PathSegment,
  type PathSpan,
  partsOf,
  partsOfChildren,
} from './critical-path.js';

interface Tree {
  readonly spans: PathSpan[];
  readonly parents: number[];
}

const childrenOf = ({ parents }: Tree) => {
  return (span: number) => parents.flatMap((parent, i) => (parent === span && i !== span ? [i] : []));
};

/** The rule as it is said, step by step: no sorting, no stack, one look at all children for each step. */
function slowly(tree: Tree, root: number, from: number, to: number): PathSegment[] {
  const segments: PathSegment[] = [];
  const attribute = (span: number, begin: number, stop: number, inChild: boolean) => {
    const rest = new Set(childrenOf(tree)(span));
    let cursor = stop;
    for (;;) {
      let best: number | undefined;
      for (const child of rest) {
        if (best === undefined || isBefore(tree.spans, child, best, begin, stop)) best = child;
      }
      if (best === undefined) break;
      rest.delete(best);
      const { start, end, isChildAgent } = tree.spans[best] as PathSpan;
      const [first, last] = [Math.max(start, begin), Math.min(end, stop)];
      if (last <= first || first >= cursor) continue;
      own(span, Math.min(last, cursor), cursor, inChild);
      attribute(best, first, Math.min(last, cursor), inChild || isChildAgent);
      cursor = first;
    }
    own(span, begin, cursor, inChild);
  };
  // One nanosecond after the other.
  const own = (index: number, begin: number, stop: number, inChild: boolean) => {
    const span = tree.spans[index];
    for (let at = begin; at < stop; at++) {
      const isWaiting = span?.waits.some(([a, b]) => at >= a && at < b) ?? false;
      const kind = span?.part ?? PART.agent;
      const part = inChild ? (kind === PART.human ? kind : PART.children) : isWaiting ? PART.waiting : kind;
      segments.push([index, at, at + 1, part]);
    }
  };
  attribute(root, from, to, false);
  return segments.sort((a, b) => a[1] - b[1]);
}

function isBefore(spans: readonly PathSpan[], a: number, b: number, from: number, to: number): boolean {
  const [one, other] = [spans[a] as PathSpan, spans[b] as PathSpan];
  const ends = [Math.min(one.end, to), Math.min(other.end, to)] as const;
  if (ends[0] !== ends[1]) return ends[0] > ends[1];
  const starts = [Math.max(one.start, from), Math.max(other.start, from)] as const;
  if (starts[0] !== starts[1]) return starts[0] > starts[1];
  return one.id < other.id;
}

/** Segments of one span and part that touch, as one. */
function joined(segments: readonly PathSegment[]): PathSegment[] {
  const list: [number, number, number, number][] = [];
  for (const [span, from, to, part] of segments) {
    const last = list.at(-1);
    if (last !== undefined && last[0] === span && last[2] === from && last[3] === part) last[2] = to;
    else list.push([span, from, to, part]);
  }
  return list;
}

const span = fc.record({
  parent: fc.nat(),
  start: fc.integer({ min: -10, max: 60 }),
  length: fc.integer({ min: -2, max: 40 }),
  part: fc.constantFrom<Part>(PART.model, PART.tools, PART.human, PART.agent),
  isChildAgent: fc.boolean(),
  waits: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 4 }),
});

const tree = fc.array(span, { minLength: 1, maxLength: 24 }).map((list): Tree => {
  const spans = list.map(({ start, length, part, isChildAgent, waits }, i): PathSpan => {
    const edges = [...new Set(waits)].sort((a, b) => a - b);
    const pairs = edges.flatMap((from, k) =>
      k % 2 === 0 && k + 1 < edges.length ? [[from, edges[k + 1]] as const] : [],
    );
    const id = `${(i * 7) % 24}`.padStart(2, '0');
    return {
      id,
      start,
      end: start + length,
      part,
      isChildAgent,
      waits: part === PART.model ? (pairs as [number, number][]) : [],
    };
  });
  return { spans, parents: list.map(({ parent }, i) => (i === 0 ? -1 : parent % i)) };
});

describe('criticalPath', () => {
  it('sums to the duration to the nanosecond and equals the slow rule, on 1,000 traces', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(0, -1), (made, root) => {
        const { start, end } = made.spans[0] as PathSpan;
        const [from, to] = root === 0 ? [start, end] : [-10, 100];
        const fast = criticalPath(made.spans, childrenOf(made), root, from, to);
        expect(partsOf(fast).reduce((sum, part) => sum + part, 0)).toBe(Math.max(0, to - from));
        expect(joined(fast)).toEqual(joined(slowly(made, root, from, to)));
      }),
      { numRuns: 1_000 },
    );
  });

  const plain = (id: string, start: number, end: number, part: Part = PART.tools): PathSpan => {
    return { id, start, end, part, isChildAgent: false, waits: [] };
  };
  const below = (parents: readonly number[]) => (i: number) =>
    parents.flatMap((parent, k) => (parent === i ? [k] : []));

  it('gives the time of parallel tools to the one that ended last, and gaps to the turn', () => {
    const spans = [plain('r', 0, 100, PART.agent), plain('a', 10, 40), plain('b', 10, 60), plain('c', 70, 90)];
    expect(criticalPath(spans, below([-1, 0, 0, 0]), 0, 0, 100)).toEqual([
      [0, 0, 10, PART.agent],
      [2, 10, 60, PART.tools],
      [0, 60, 70, PART.agent],
      [3, 70, 90, PART.tools],
      [0, 90, 100, PART.agent],
    ]);
  });

  it('gives it to the child agent whose span ended last, though most of it was spent on nothing that is known', () => {
    const spans: PathSpan[] = [
      plain('r', 0, 3740, PART.agent),
      { ...plain('failed', 1330, 3623, PART.agent), isChildAgent: true },
      plain('its request', 1470, 1500, PART.model),
      { ...plain('sibling', 1360, 3612, PART.agent), isChildAgent: true },
      plain('its request', 1460, 3590, PART.model),
    ];
    const tree: Tree = { spans, parents: [-1, 0, 1, 0, 3] };
    const path = criticalPath(spans, childrenOf(tree), 0, 0, 3740);
    expect(joined(path)).toEqual(joined(slowly(tree, 0, 0, 3740)));
    expect([...new Set(path.map(([span]) => spans[span]?.id))]).toEqual(['r', 'failed', 'its request']);
    expect(partsOf(path)[PART.children]).toBe(2293);
    expect(partsOfChildren(path, spans)).toEqual([30, 0, 0, 0, 0, 2263]);
  });

  it('calls the back-off between attempts waiting, and keeps waits for a person inside a child', () => {
    const spans: PathSpan[] = [
      plain('r', 0, 100, PART.agent),
      { ...plain('q', 0, 50, PART.model), waits: [[10, 30]] },
      { ...plain('k', 50, 100, PART.agent), isChildAgent: true },
      plain('t', 60, 90),
      plain('p', 70, 80, PART.human),
    ];
    expect(partsOf(criticalPath(spans, below([-1, 0, 0, 2, 3]), 0, 0, 100))).toEqual([30, 0, 10, 40, 20, 0]);
  });

  it('takes a chain of 100,000 and as many children of one span', () => {
    const count = 100_000;
    const deep = Array.from({ length: count }, (_, i) => plain(`${i}`, 0, count * 2 - i));
    expect(partsOf(criticalPath(deep, (i) => (i + 1 < count ? [i + 1] : []), 0, 0, count * 2))[PART.tools]).toBe(
      count * 2,
    );
    const wide = Array.from({ length: count }, (_, i) => (i === 0 ? plain('r', 0, count) : plain(`${i}`, i - 1, i)));
    const all = Array.from({ length: count - 1 }, (_, i) => i + 1);
    expect(criticalPath(wide, (i) => (i === 0 ? all : []), 0, 0, count)).toHaveLength(count);
  });
});
