import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { HookRecord } from '../contract/record.js';
import { type NdjsonSource, readRecords } from './reader.js';

const recording = new URL('../../../../conformance/recordings/0.22.2/b-two-sequential-tools.ndjson', import.meta.url);
const expected = readFileSync(recording, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

async function all(source: NdjsonSource): Promise<HookRecord[]> {
  const records: HookRecord[] = [];
  for await (const batch of readRecords(source)) {
    expect(batch.length).toBeGreaterThan(0);
    records.push(...batch);
  }
  return records;
}

describe('readRecords', () => {
  test('reads a file stream in pieces of any size', async () => {
    for (const highWaterMark of [7, 1000, 64 * 1024]) {
      expect(await all(createReadStream(recording, { highWaterMark }))).toEqual(expected);
    }
  });

  test('reads text streams, web streams and lists of chunks', async () => {
    expect(await all(createReadStream(recording, 'utf8'))).toEqual(expected);
    expect(await all(Readable.toWeb(createReadStream(recording)) as AsyncIterable<Uint8Array>)).toEqual(expected);
    expect(await all(Readable.from([readFileSync(recording)]))).toEqual(expected);
  });

  test('closes the source when the reader stops early', async () => {
    const source = createReadStream(recording);
    for await (const _ of readRecords(source)) break;
    expect(source.destroyed).toBe(true);
  });

  test('throws what the source throws', async () => {
    await expect(all(createReadStream(new URL('./no-such-file', import.meta.url)))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('throws on a wrong option', async () => {
    await expect(readRecords(Readable.from([]), { maxLineBytes: 0 }).next()).rejects.toMatchObject({
      code: 'HO_OPTION',
    });
  });
});
