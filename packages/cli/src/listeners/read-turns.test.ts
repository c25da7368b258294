import { expect, it } from 'vitest';
import { Pieces, ReadTurns, RecentBytes } from './read-turns.js';

function work(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('reads those who bring much in turns, and one who brings little at once', async () => {
  const turns = new ReadTurns();
  const read: string[] = [];
  const heavy = (name: string, pieces: number) => {
    let left = pieces;
    return () => {
      work(5);
      read.push(name);
      return --left === 0;
    };
  };
  turns.take(heavy('a', 3), false);
  turns.take(heavy('b', 2), false);
  turns.take(heavy('c', 1), false);
  expect(read).toEqual(['a', 'b'].slice(0, read.length));
  turns.take(() => {
    read.push('light');
    return true;
  }, true);
  expect(read.at(-1)).toBe('light');
  while (read.length < 7) await nextTurn();
  expect(read.filter((name) => name !== 'light').sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'c']);
  // Nobody has a second piece before each had its first.
  const order = read.filter((name) => name !== 'light');
  expect(order.lastIndexOf('a')).toBeGreaterThan(order.indexOf('c'));
});

it('lets timers and answers come between', async () => {
  const turns = new ReadTurns();
  let pieces = 0;
  for (let client = 0; client < 40; client++) {
    turns.take(() => {
      work(4);
      pieces++;
      return true;
    }, false);
  }
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(performance.now() - began).toBeLessThan(80);
  expect(pieces).toBeLessThan(40);
  while (pieces < 40) await nextTurn();
});

it('makes pieces small where bytes are dear, and large again', () => {
  const pieces = new Pieces();
  const sizes: number[] = [];
  const read = (chunk: Buffer, millisPerKiB: number) => {
    let rest = chunk;
    let bytes = 0;
    while (rest.length > 0) {
      rest = pieces.next(rest, (piece) => {
        sizes.push(piece.length);
        bytes += piece.length;
        work((piece.length / 1024) * millisPerKiB);
      });
    }
    expect(bytes).toBe(chunk.length);
  };
  const chunk = Buffer.alloc(64 * 1024);
  read(chunk, 1);
  expect(sizes[0]).toBe(chunk.length);
  expect(sizes.slice(1).every((size) => size <= 8 * 1024)).toBe(true);
  for (let i = 0; i < 3; i++) read(chunk, 0);
  expect(sizes.at(-1)).toBe(chunk.length);
});

it('knows who brought little within a second', () => {
  const recent = new RecentBytes();
  expect(recent.isLightWith(60_000)).toBe(true);
  expect(recent.isLightWith(60_000)).toBe(false);
  expect(new RecentBytes().isLightWith(60_000)).toBe(true);
});
