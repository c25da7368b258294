import { describe, expect, it } from 'vitest';
import { CallQueue } from './call-queue.js';

interface Call {
  readonly n: number;
  over: boolean;
}

const queueOf = () => new CallQueue<Call>(({ over }) => over);

describe('a queue of calls', () => {
  it('gives the oldest one that is not over', () => {
    const queue = queueOf();
    const calls = [0, 1, 2].map((n): Call => ({ n, over: false }));
    for (const call of calls) queue.add(call);
    expect(queue.first()).toBe(calls[0]);
    for (const call of calls.slice(0, 2)) call.over = true;
    expect(queue.first()).toBe(calls[2]);
    for (const call of calls) call.over = true;
    expect(queue.first()).toBeUndefined();
  });

  it('does not grow with calls that are over behind one that is not', () => {
    const queue = queueOf();
    const first: Call = { n: 0, over: false };
    queue.add(first);
    for (let n = 1; n < 10_000; n++) queue.add({ n, over: true });
    expect(queue.size).toBeLessThanOrEqual(16);
    expect(queue.first()).toBe(first);
  });

  it('keeps all that are not over', () => {
    const queue = queueOf();
    const calls = Array.from({ length: 1000 }, (_, n): Call => ({ n, over: false }));
    for (const call of calls) queue.add(call);
    expect(queue.size).toBe(1000);
    for (const call of calls) if (call.n < 999) call.over = true;
    queue.sweep();
    expect(queue.size).toBe(1);
    expect(queue.first()).toBe(calls[999]);
  });
});
