import { expect, it } from 'vitest';
import { Fifo } from './fifo.js';

it('gives items in the order they came, however pushes and shifts mix', () => {
  const fifo = new Fifo<number>();
  const expected: number[] = [];
  let next = 0;
  for (let round = 0; round < 2_000; round++) {
    for (let i = 0; i <= round % 3; i++) {
      fifo.push(next);
      expected.push(next++);
    }
    if (round % 5 !== 0) {
      expect(fifo.first()).toBe(expected[0]);
      expect(fifo.shift()).toBe(expected.shift());
    }
    expect(fifo.size).toBe(expected.length);
  }
  while (expected.length > 0) expect(fifo.shift()).toBe(expected.shift());
  expect([fifo.size, fifo.first(), fifo.shift()]).toEqual([0, undefined, undefined]);
});
