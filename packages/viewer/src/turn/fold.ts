import { KIND } from '../api/turn-answer.js';
import type { SpanTree } from './span-tree.js';

/** Spans whose descendants are hidden. */
export type Folded = ReadonlySet<number>;

export const hasChildren = (tree: SpanTree, span: number): boolean =>
  (tree.endPlace[span] ?? 0) - (tree.placeOf[span] ?? 0) > 1;

/** Spans that show, in order. */
export function visibleSpans(tree: SpanTree, folded: Folded): Int32Array {
  if (folded.size === 0) return tree.order;
  const shown = new Int32Array(tree.order.length);
  let count = 0;
  for (let place = 0; place < tree.order.length; ) {
    const span = tree.order[place] ?? 0;
    shown[count++] = span;
    place = folded.has(span) ? (tree.endPlace[span] ?? place + 1) : place + 1;
  }
  return shown.subarray(0, count);
}

export function toggled(folded: Folded, span: number, isFolded = !folded.has(span)): Folded {
  if (folded.has(span) === isFolded) return folded;
  const next = new Set(folded);
  if (isFolded) next.add(span);
  else next.delete(span);
  return next;
}

/** All child agents, so that only the turn's own work shows. */
export function foldChildren(tree: SpanTree, kinds: ArrayLike<number>): Folded {
  const folded = new Set<number>();
  for (const span of tree.order) if (kinds[span] === KIND.child && hasChildren(tree, span)) folded.add(span);
  return folded;
}

/** Folded spans without those that hide a span. */
export function unfoldedTo(tree: SpanTree, folded: Folded, span: number): Folded {
  let result = folded;
  for (let above = tree.parent[span] ?? -1; above !== -1; above = tree.parent[above] ?? -1) {
    if (result.has(above)) result = toggled(result, above, false);
  }
  return result;
}
