import { describe, expect, it } from 'vitest';
import { Guard } from './guard.js';

const throwing = (error: unknown) => () => {
  throw error;
};

describe('a guard', () => {
  it('gives what the function gives', () => {
    expect(new Guard('x').safely(() => 7)).toBe(7);
  });

  it('keeps what is thrown, counts it, and tells each text once', () => {
    const told: string[] = [];
    const guard = new Guard('adapter', (text) => told.push(text));
    for (const error of [new Error('a'), new Error('a'), 'b']) expect(guard.safely(throwing(error))).toBeUndefined();
    expect(guard.failures).toBe(3);
    expect(told).toEqual(['adapter: failed inside, and goes on: Error: a', 'adapter: failed inside, and goes on: b']);
  });

  it('survives errors that cannot be told, and a listener that throws', () => {
    const guard = new Guard('adapter', throwing(new Error('listener')));
    const untellable = {
      toString: throwing(new Error('toString')),
    };
    expect(guard.safely(throwing(untellable))).toBeUndefined();
    expect(guard.failures).toBe(1);
  });

  it('tells a bounded number of texts', () => {
    const told: string[] = [];
    const guard = new Guard('adapter', (text) => told.push(text));
    for (let i = 0; i < 200; i++) guard.tell(String(i));
    expect(told).toHaveLength(50);
  });
});
