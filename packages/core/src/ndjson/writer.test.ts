import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import type { HookRecord } from '../contract/record.js';
import { formatRecord } from './format-record.js';
import { NdjsonParser } from './parser.js';
import { NdjsonWriter } from './writer.js';

const folder = mkdtempSync(join(tmpdir(), 'ndjson-writer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const record = (payload: HookRecord['payload']): HookRecord => ({ hook: 'h', time_unix_nano: '1', payload });

describe('formatRecord', () => {
  test('is one line of well-formed text', () => {
    const line = formatRecord(record({ a: 'one\ntwo\r\u2028', b: '\ud800', c: Number.NaN }));
    expect(line).toBe('{"hook":"h","time_unix_nano":"1","payload":{"a":"one\\ntwo\\r\u2028","b":"\\ud800","c":null}}');
    expect(Buffer.from(line).toString()).toBe(line);
  });

  test('refuses what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const payload of [
      cycle,
      { a: 1n },
      {
        get a() {
          throw new Error('mine');
        },
      },
    ]) {
      expect(() => formatRecord(record(payload))).toThrowError(expect.objectContaining({ code: 'HO_RECORD_SHAPE' }));
    }
  });
});

describe('NdjsonWriter', () => {
  test('writes to a file at once', () => {
    const path = join(folder, 'out.ndjson');
    const fd = openSync(path, 'w');
    const writer = new NdjsonWriter(fd);
    expect(writer.write(record({ a: 1 }))).toBeUndefined();
    expect(writer.write(record({ a: '文' }))).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(
      `${formatRecord(record({ a: 1 }))}\n${formatRecord(record({ a: '文' }))}\n`,
    );
    expect(writer.written).toBe(2);
    closeSync(fd);
    expect(() => writer.write(record({}))).toThrowError(expect.objectContaining({ code: 'HO_OUTPUT_UNWRITABLE' }));
    expect(writer.written).toBe(2);
  });

  test.skipIf(process.platform === 'win32')('ends a line that was cut short before the next record', () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const writer = new NdjsonWriter(fd);
    // A pipe holds 64 KiB or so: the rest of this record is refused.
    expect(() => writer.write(record({ a: 'x'.repeat(4_000_000) }))).toThrowError(
      expect.objectContaining({ code: 'HO_OUTPUT_UNWRITABLE' }),
    );
    const parser = new NdjsonParser();
    const piece = Buffer.alloc(8_000_000);
    expect(parser.push(piece.subarray(0, readSync(fd, piece)))).toEqual([]);
    writer.write(record({ a: 1 }));
    writer.write(record({ a: 2 }));
    expect(parser.push(piece.subarray(0, readSync(fd, piece)))).toEqual([record({ a: 1 }), record({ a: 2 })]);
    expect([parser.malformed, writer.written]).toEqual([1, 2]);
    closeSync(fd);
  });

  test('asks to wait while a stream is full', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const writer = new NdjsonWriter(stream);
    const wait = writer.write(record({ a: 1 }));
    expect(wait).toBeInstanceOf(Promise);
    expect(writer.write(record({ a: 2 }))).toBe(wait);
    const text: string[] = [];
    stream.on('data', (chunk) => text.push(String(chunk)));
    await wait;
    expect(text.join('')).toBe(`${formatRecord(record({ a: 1 }))}\n${formatRecord(record({ a: 2 }))}\n`);
    expect(stream.listenerCount('drain') + stream.listenerCount('close')).toBe(0);
  });

  test('tells a stream that fails, to who waits and at the next record', async () => {
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => setImmediate(done, new Error('disk full')),
    });
    const writer = new NdjsonWriter(stream);
    await expect(writer.write(record({}))).rejects.toMatchObject({
      code: 'HO_OUTPUT_UNWRITABLE',
      message: /disk full/,
    });
    expect(() => writer.write(record({}))).toThrowError(/disk full/);
  });

  test('tells a stream that was closed', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const writer = new NdjsonWriter(stream);
    const wait = writer.write(record({}));
    stream.destroy();
    await expect(wait).rejects.toMatchObject({ code: 'HO_OUTPUT_UNWRITABLE' });
    expect(() => writer.write(record({}))).toThrowError(/closed/);
  });
});
