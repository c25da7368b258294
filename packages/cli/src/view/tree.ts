import { compareTime } from '@hermes-observer/core';
import type { SpanRow } from './span-row.js';

/** A span in its tree. */
export interface TreeNode {
  readonly row: SpanRow;
  readonly children: TreeNode[];
  /** `undefined` for a root, and for a span whose parent is not there or hangs under the span itself. */
  parent: TreeNode | undefined;
  /** 0 for a root. */
  depth: number;
  isLast: boolean;
}

export interface TraceTree {
  readonly traceId: string;
  /** The root first, then spans whose parent is missing; each in order of start. */
  readonly roots: readonly TreeNode[];
  /** All of them, parents before children, as they are printed. */
  readonly nodes: readonly TreeNode[];
}

export interface Forest {
  /** In order of start. */
  readonly traces: readonly TraceTree[];
  /** Rows left out because the same span came before. */
  readonly repeated: number;
}

/** Spans as trees, one a trace. No span is lost but repetitions of one; time is linear but for the sorting. */
export function buildForest(rows: Iterable<SpanRow>): Forest {
  const byTrace = new Map<string, SpanRow[]>();
  for (const row of rows) {
    const list = byTrace.get(row.traceId);
    if (list === undefined) byTrace.set(row.traceId, [row]);
    else list.push(row);
  }
  let repeated = 0;
  const traces: TraceTree[] = [];
  for (const [traceId, list] of byTrace) {
    const unique = withoutRepeats(list);
    repeated += list.length - unique.length;
    traces.push(buildTrace(traceId, unique));
  }
  traces.sort((a, b) => compareTime(startOf(a), startOf(b)));
  return { traces, repeated };
}

/** The same span may stand in two files, or twice in one: still running, and ended. The one that ended counts. */
function withoutRepeats(rows: readonly SpanRow[]): readonly SpanRow[] {
  const unique: SpanRow[] = [];
  const places = new Map<string, number>();
  for (const row of rows) {
    const place = row.spanId === '' ? undefined : places.get(row.spanId);
    const first = place === undefined ? undefined : unique[place];
    if (place !== undefined && first !== undefined && isSame(first, row)) {
      if (first.end === undefined) unique[place] = row;
      continue;
    }
    if (row.spanId !== '' && place === undefined) places.set(row.spanId, unique.length);
    unique.push(row);
  }
  return unique;
}

const isSame = (a: SpanRow, b: SpanRow) => a.name === b.name && compareTime(a.start, b.start) === 0;

function buildTrace(traceId: string, rows: readonly SpanRow[]): TraceTree {
  const all = rows.map((row): TreeNode => ({ row, children: [], parent: undefined, depth: 0, isLast: true }));
  all.sort(byStart);
  const byId = new Map<string, TreeNode>();
  for (const node of all) {
    const { spanId } = node.row;
    if (spanId !== '' && !byId.has(spanId)) byId.set(spanId, node);
  }
  const roots: TreeNode[] = [];
  for (const node of all) {
    const { parentSpanId } = node.row;
    const parent = parentSpanId === undefined ? undefined : byId.get(parentSpanId);
    if (parent === undefined || parent === node) roots.push(node);
    else {
      node.parent = parent;
      parent.children.push(node);
    }
  }
  roots.sort((a, b) => Number(a.row.parentSpanId !== undefined) - Number(b.row.parentSpanId !== undefined));
  const nodes: TreeNode[] = [];
  const placed = new Set<TreeNode>();
  for (const root of roots) place(root, nodes, placed);
  for (const node of all) {
    if (placed.has(node)) continue;
    const root = cutCycle(node);
    roots.push(root);
    place(root, nodes, placed);
  }
  return { traceId, roots, nodes };
}

/** What no root leads to hangs under a cycle: its earliest span becomes a root. Each cycle is met once. */
function cutCycle(start: TreeNode): TreeNode {
  const seen = new Set<TreeNode>();
  let node = start;
  while (node.parent !== undefined && !seen.has(node)) {
    seen.add(node);
    node = node.parent;
  }
  let earliest = node;
  for (let other = node.parent; other !== undefined && other !== node; other = other.parent) {
    if (byStart(other, earliest) < 0) earliest = other;
  }
  const siblings = earliest.parent?.children;
  siblings?.splice(siblings.indexOf(earliest), 1);
  earliest.parent = undefined;
  return earliest;
}

/** Depth first, without recursion: a chain may be longer than the stack is deep. */
function place(root: TreeNode, nodes: TreeNode[], placed: Set<TreeNode>): void {
  const open: TreeNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    placed.add(node);
    nodes.push(node);
    const { parent } = node;
    node.depth = parent === undefined ? 0 : parent.depth + 1;
    node.isLast = parent === undefined || parent.children.at(-1) === node;
    for (let i = node.children.length - 1; i >= 0; i--) {
      const child = node.children[i];
      if (child !== undefined) open.push(child);
    }
  }
}

function byStart(a: TreeNode, b: TreeNode): number {
  return compareTime(a.row.start, b.row.start);
}

function startOf(trace: TraceTree) {
  return trace.roots[0]?.row.start ?? [0, 0];
}
