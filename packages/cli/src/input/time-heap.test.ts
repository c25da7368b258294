import type { HrTime } from '@hermes-observer/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TimeHeap } from './time-heap.js';

it('merges any number of lists as a stable sort by time does, each in its own order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(20), { minLength: 1 }), { maxLength: 12 }), (lists) => {
      const sorted = lists.map((list) => [...list].sort((a, b) => a - b));
      const sources = sorted.map((list, order) => ({ order, list, time: [list[0] ?? 0, 0] as HrTime | undefined }));
      const heap = new TimeHeap(sources);
      const expected = sorted.flatMap((list, order) => list.map((time): [number, number] => [time, order]));
      const merged: [number, number][] = [];
      for (let source = heap.first; source !== undefined; source = heap.first) {
        const others = sources.filter((other) => other !== source && other.list.length > 0);
        const [second] = others.map(({ list }) => list[0] ?? 0).sort((a, b) => a - b);
        expect(heap.secondTime?.[0]).toBe(second);
        merged.push([source.list.shift() ?? -1, source.order]);
        const [next] = source.list;
        source.time = next === undefined ? undefined : [next, 0];
        if (next === undefined) heap.removeFirst();
        else heap.moved();
      }
      expect(merged).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    }),
  );
});
