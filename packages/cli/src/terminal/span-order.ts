/** Spans in the order of their tree. */
export interface SpanOrder {
  /** Span by place: parents before children, children by start. */
  readonly order: Int32Array;
  /** By span, 0 for roots. */
  readonly depth: Int32Array;
  /** By span: the place behind its last descendant. */
  readonly endPlace: Int32Array;
  readonly placeOf: Int32Array;
}

/**
 * Linear but for a sort of spans that are not in order, whatever the tree is like: deep, wide, or in rings, which are cut.
 * @param parents index of each span's parent, -1 for none
 */
export function spanOrder(parents: readonly number[], starts: readonly number[]): SpanOrder {
  const count = parents.length;
  const byStart = rising(starts);
  // Children as links: the first below a span, and the next beside one. The last entry has the roots.
  const first = new Int32Array(count + 1).fill(-1);
  const beside = new Int32Array(count).fill(-1);
  for (let i = count - 1; i >= 0; i--) {
    const span = byStart[i] as number;
    const above = parents[span] as number;
    const key = above >= 0 && above < count && above !== span ? above : count;
    beside[span] = first[key] as number;
    first[key] = span;
  }
  const order = new Int32Array(count);
  const placeOf = new Int32Array(count).fill(-1);
  const depth = new Int32Array(count);
  const endPlace = new Int32Array(count);
  let place = 0;
  const enter = (span: number, deep: number) => {
    placeOf[span] = place;
    order[place++] = span;
    depth[span] = deep;
  };
  const walk = (root: number) => {
    const above = [root];
    enter(root, 0);
    // For each level, the child that comes next.
    const next = [first[root] as number];
    while (above.length > 0) {
      const child = next[next.length - 1] as number;
      if (child === -1) {
        endPlace[above.pop() as number] = place;
        next.pop();
        continue;
      }
      next[next.length - 1] = beside[child] as number;
      if (placeOf[child] !== -1) continue;
      enter(child, above.length);
      above.push(child);
      next.push(first[child] as number);
    }
  };
  for (let span = first[count] as number; span !== -1; span = beside[span] as number) walk(span);
  // What is left hangs in rings.
  if (place < count) for (const span of byStart) if (placeOf[span] === -1) walk(span);
  return { order, placeOf, depth, endPlace };
}

function rising(starts: readonly number[]): number[] {
  const order = starts.map((_, span) => span);
  const isRising = starts.every((start, i) => i === 0 || (starts[i - 1] as number) <= start);
  return isRising ? order : order.sort((a, b) => (starts[a] as number) - (starts[b] as number) || a - b);
}
