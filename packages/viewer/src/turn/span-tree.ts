/** Spans in the order of the tree, each with how deep it stands and where all below it end. */
export interface SpanTree {
  /** Span by place. */
  readonly order: Int32Array;
  /** Place by span. */
  readonly placeOf: Int32Array;
  /** By span, 0 for roots. */
  readonly depth: Int32Array;
  /** By span: the place behind its last descendant. */
  readonly endPlace: Int32Array;
  /** By span: -1 for roots. A parent that is missing, or is below its own child, is none. */
  readonly parent: Int32Array;
  readonly maxDepth: number;
}

/**
 * Orders spans: parents before children, children by start. Linear but for children that are not in order.
 * @param parents index of each span's parent, -1 for none
 */
export function makeTree(parents: ArrayLike<number>, starts: ArrayLike<number>): SpanTree {
  const count = parents.length;
  const parent = withoutCycles(parents);
  // The children of each span, as a chain in the order of the spans; entry `count` has the roots.
  const firstChild = new Int32Array(count + 1).fill(-1);
  const lastChild = new Int32Array(count + 1).fill(-1);
  const next = new Int32Array(count).fill(-1);
  const unordered = new Set<number>();
  for (let span = 0; span < count; span++) {
    const above = parent[span] ?? -1;
    const key = above === -1 ? count : above;
    const before = lastChild[key] ?? -1;
    if (before === -1) firstChild[key] = span;
    else {
      next[before] = span;
      if ((starts[before] ?? 0) > (starts[span] ?? 0)) unordered.add(key);
    }
    lastChild[key] = span;
  }
  for (const key of unordered) sortChain(firstChild, next, key, starts);

  const order = new Int32Array(count);
  const placeOf = new Int32Array(count);
  const depth = new Int32Array(count);
  const endPlace = new Int32Array(count);
  let place = 0;
  let maxDepth = 0;
  let span = firstChild[count] ?? -1;
  while (span !== -1) {
    order[place] = span;
    placeOf[span] = place++;
    const above = parent[span] ?? -1;
    const deep = above === -1 ? 0 : (depth[above] ?? 0) + 1;
    depth[span] = deep;
    if (deep > maxDepth) maxDepth = deep;
    const child = firstChild[span] ?? -1;
    if (child !== -1) {
      span = child;
      continue;
    }
    // Up until something stands beside.
    let done = span;
    endPlace[done] = place;
    while (done !== -1 && (next[done] ?? -1) === -1) {
      done = parent[done] ?? -1;
      if (done !== -1) endPlace[done] = place;
    }
    span = done === -1 ? -1 : (next[done] ?? -1);
  }
  return { order, placeOf, depth, endPlace, parent, maxDepth };
}

/** Parents that lead to a root; where they go round, the span that closes the round is a root. */
function withoutCycles(parents: ArrayLike<number>): Int32Array {
  const count = parents.length;
  const parent = new Int32Array(count);
  for (let span = 0; span < count; span++) {
    const above = parents[span] ?? -1;
    parent[span] = above >= 0 && above < count && above !== span ? above : -1;
  }
  // 0 not looked at, else the number of the walk that came by.
  const seen = new Int32Array(count);
  for (let from = 0; from < count; from++) {
    const walk = from + 1;
    let span = from;
    while (span !== -1 && seen[span] === 0) {
      seen[span] = walk;
      const above = parent[span] ?? -1;
      if (above !== -1 && seen[above] === walk) parent[span] = -1;
      span = parent[span] ?? -1;
    }
  }
  return parent;
}

function sortChain(firstChild: Int32Array, next: Int32Array, key: number, starts: ArrayLike<number>): void {
  const chain: number[] = [];
  for (let span = firstChild[key] ?? -1; span !== -1; span = next[span] ?? -1) chain.push(span);
  chain.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b);
  firstChild[key] = chain[0] ?? -1;
  chain.forEach((span, index) => {
    next[span] = chain[index + 1] ?? -1;
  });
}
