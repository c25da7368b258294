import { describe, expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.js';

type Told = [number, string | 'TOO LONG'];

function split(chunks: Iterable<Uint8Array>, maxBytes?: number): { told: Told[]; lines: number } {
  const told: Told[] = [];
  const splitter = new LineSplitter(
    { onLine: (text, number) => told.push([number, text]), onTooLong: (number) => told.push([number, 'TOO LONG']) },
    maxBytes,
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { told, lines: splitter.lines };
}

function* pieces(bytes: Buffer, size: number) {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

const sizes = [1, 2, 3, 5, 1000];

describe.each(sizes)('LineSplitter, %d bytes a chunk', (size) => {
  const told = (text: string | Buffer, maxBytes?: number) => split(pieces(Buffer.from(text as string), size), maxBytes);

  test('cuts at newlines and tells a last line without one', () => {
    expect(told('{a}\n{b}\n{c}')).toEqual({
      told: [
        [1, '{a}'],
        [2, '{b}'],
        [3, '{c}'],
      ],
      lines: 3,
    });
    expect(told('{a}\n{b}\n').lines).toBe(2);
    expect(told('').lines).toBe(0);
  });

  test('counts blank lines and does not tell them', () => {
    expect(told('\n \t\r\n\n{a}\n\n\n{b}\n\n')).toEqual({
      told: [
        [4, '{a}'],
        [7, '{b}'],
      ],
      lines: 8,
    });
  });

  test('skips a byte order mark at the start alone', () => {
    expect(told('\ufeff{a}\n\ufeff{b}').told).toEqual([
      [1, '{a}'],
      [2, '\ufeff{b}'],
    ]);
    expect(told('\ufeff\n{a}').told).toEqual([[2, '{a}']]);
  });

  test('keeps characters whole', () => {
    expect(told('{"é文🌱"}\n{"🌱"}').told).toEqual([
      [1, '{"é文🌱"}'],
      [2, '{"🌱"}'],
    ]);
  });

  test('reads what is not UTF-8 as U+FFFD', () => {
    const bytes = Buffer.concat([
      Buffer.from('{'),
      Buffer.from([0xff]),
      Buffer.from('}\n{'),
      Buffer.from([0xc3]),
      Buffer.from('\n{b}'),
    ]);
    expect(split(pieces(bytes, size)).told).toEqual([
      [1, '{\ufffd}'],
      [2, '{\ufffd'],
      [3, '{b}'],
    ]);
  });

  test('keeps NUL bytes', () => {
    expect(told('\0\0\n{a\0}\n').told).toEqual([
      [1, '\0\0'],
      [2, '{a\0}'],
    ]);
  });

  test('tells a line over the bound once and reads on', () => {
    const text = `{a}\n${'x'.repeat(50)}\n{b}\n${'y'.repeat(8)}\n${'z'.repeat(9)}`;
    expect(told(text, 8).told).toEqual([
      [1, '{a}'],
      [2, 'TOO LONG'],
      [3, '{b}'],
      [4, 'yyyyyyyy'],
      [5, 'TOO LONG'],
    ]);
  });
});

describe('LineSplitter', () => {
  test('tells a line that is too long before its end comes, and holds none of it', () => {
    const told: number[] = [];
    const splitter = new LineSplitter({ onLine: () => {}, onTooLong: (number) => told.push(number) }, 1024 * 1024);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 4096; i++) splitter.push(chunk);
    expect(told).toEqual([1]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  test('copies what it keeps: a chunk may be reused', () => {
    const told: string[] = [];
    const splitter = new LineSplitter({ onLine: (text) => told.push(text), onTooLong: () => {} });
    const chunk = Buffer.from('{aaa');
    splitter.push(chunk);
    chunk.fill('z');
    splitter.push(Buffer.from('}\n'));
    expect(told).toEqual(['{aaa}']);
  });

  test('takes views of larger buffers', () => {
    const all = new Uint8Array(Buffer.from('xx{a}\n{b}\nxx'));
    expect(split([all.subarray(2, 10)]).told).toEqual([
      [1, '{a}'],
      [2, '{b}'],
    ]);
  });

  test('time is linear in the size of a line that comes in small pieces', () => {
    const time = (bytes: number) => {
      const chunk = Buffer.alloc(16, 'x');
      const started = performance.now();
      split(Array(bytes / 16).fill(chunk));
      return performance.now() - started;
    };
    time(1024 * 1024);
    // 16 times the bytes: 16 times as long, not 256 times.
    expect(time(16 * 1024 * 1024)).toBeLessThan(100 * Math.max(time(1024 * 1024), 5));
  });
});

test.each(sizes)('gives the bytes of each line, %d bytes a chunk', (size) => {
  const lines: [string, string][] = [];
  const onLine = (text: string, _: number, bytes: Uint8Array | undefined) =>
    lines.push([text, Buffer.from(bytes ?? []).toString()]);
  const splitter = new LineSplitter({ onLine, onTooLong: () => {} }, undefined, true);
  const kept = [...pieces(Buffer.from('\ufeff{"é"}\n\n{"🌱"}\r\n{c}'), size)];
  for (const chunk of kept) splitter.push(chunk);
  expect(splitter.heldBytes).toBe(size === 1000 ? 3 : splitter.heldBytes);
  splitter.end();
  expect(splitter.heldBytes).toBe(0);
  expect(lines).toEqual([
    ['{"é"}', '{"é"}'],
    ['{"🌱"}\r', '{"🌱"}\r'],
    ['{c}', '{c}'],
  ]);
});
