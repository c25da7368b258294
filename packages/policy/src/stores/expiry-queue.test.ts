import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExpiryQueue } from './expiry-queue.js';

it('gives what is due, whatever was added and ended in whatever order', () => {
  const step = fc.oneof(
    fc.record({ add: fc.nat(50) }),
    fc.record({ end: fc.nat(30) }),
    fc.record({ take: fc.nat(50) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const open = new Map<string, number>();
      const queue = new ExpiryQueue((id) => open.has(id));
      let n = 0;
      for (const one of steps) {
        if ('add' in one) {
          open.set(`${n}`, one.add);
          queue.add(one.add, `${n++}`);
        } else if ('end' in one) open.delete(`${one.end}`);
        else {
          const due = [...open].filter(([, at]) => at <= one.take).map(([id]) => id);
          expect(queue.take(one.take).sort()).toEqual(due.sort());
          for (const id of due) open.delete(id);
        }
        expect(queue.next()).toBe(open.size === 0 ? undefined : Math.min(...open.values()));
      }
    }),
  );
});
