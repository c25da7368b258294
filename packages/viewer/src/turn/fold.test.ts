import { describe, expect, it } from 'vitest';
import { KIND } from '../api/turn-answer.js';
import { foldChildren, hasChildren, toggled, unfoldedTo, visibleSpans } from './fold.js';
import { makeTree } from './span-tree.js';

// 0 ─ 1 ─ 2 ─ 3
//   └ 4 ─ 5
const tree = makeTree([-1, 0, 1, 2, 0, 4], [0, 1, 2, 3, 4, 5]);
const kinds = [KIND.turn, KIND.tool, KIND.child, KIND.tool, KIND.child, KIND.tool];

describe('folding', () => {
  it('hides what is below', () => {
    expect([...visibleSpans(tree, new Set())]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...visibleSpans(tree, new Set([1]))]).toEqual([0, 1, 4, 5]);
    expect([...visibleSpans(tree, new Set([0, 1]))]).toEqual([0]);
    expect([...visibleSpans(tree, new Set([3]))]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('knows who has something to hide', () => {
    expect([0, 1, 2, 3, 4, 5].filter((span) => hasChildren(tree, span))).toEqual([0, 1, 2, 4]);
  });

  it('folds child agents, and opens the way to a span', () => {
    const folded = foldChildren(tree, kinds);
    expect([...folded]).toEqual([2, 4]);
    expect([...unfoldedTo(tree, folded, 3)]).toEqual([4]);
    expect(unfoldedTo(tree, folded, 0)).toBe(folded);
    expect([...toggled(toggled(folded, 2), 0)]).toEqual([4, 0]);
    expect(toggled(folded, 2, true)).toBe(folded);
  });
});
