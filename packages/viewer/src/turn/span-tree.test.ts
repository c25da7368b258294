import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growth } from '../format/growth.test-support.js';
import { makeTree } from './span-tree.js';

const order = (parents: number[], starts = parents.map(() => 0)) => [...makeTree(parents, starts).order];

describe('makeTree', () => {
  it('puts children below their parents, by start', () => {
    const tree = makeTree([-1, 0, 0, 1, 0], [0, 30, 10, 31, 10]);
    expect([...tree.order]).toEqual([0, 2, 4, 1, 3]);
    expect([...tree.depth]).toEqual([0, 1, 1, 2, 1]);
    expect([...tree.endPlace]).toEqual([5, 5, 2, 5, 3]);
    expect(tree.maxDepth).toBe(2);
  });

  it('takes parents that come later, are missing, or go round', () => {
    expect(order([1, -1])).toEqual([1, 0]);
    expect(order([7, -5, 2])).toEqual([0, 1, 2]);
    expect(order([1, 2, 0]).sort()).toEqual([0, 1, 2]);
    expect(makeTree([1, 0, 0], [0, 0, 0]).maxDepth).toBeGreaterThan(0);
  });

  it('has each span once, whatever the parents', () => {
    const parents = fc.array(fc.integer({ min: -1, max: 30 }), { maxLength: 30 });
    fc.assert(
      fc.property(parents, (list) => {
        const tree = makeTree(list, list);
        expect([...tree.order].sort((a, b) => a - b)).toEqual(list.map((_, span) => span));
        for (const span of tree.order) {
          const above = tree.parent[span] ?? -1;
          if (above === -1) continue;
          expect(tree.placeOf[above]).toBeLessThan(tree.placeOf[span] ?? 0);
          expect(tree.endPlace[above]).toBeGreaterThanOrEqual(tree.endPlace[span] ?? 0);
        }
      }),
    );
  });

  it('takes a chain and a fan of 100,000 in its stride', () => {
    const work = (count: number) => {
      const above = Array.from({ length: count }, (_, span) => span - 1);
      const starts = Float64Array.from({ length: count }, (_, span) => -span);
      return () => {
        const chain = makeTree(above, new Float64Array(count));
        const fan = makeTree(new Int32Array(count).fill(0), starts);
        expect(chain.maxDepth).toBe(count - 1);
        expect(fan.order[1]).toBe(count - 1);
      };
    };
    // Five times as much; were it squared, 25 times as long.
    expect(growth(work(20_000), work(100_000), 15)).toBeLessThan(15);
  });
});
