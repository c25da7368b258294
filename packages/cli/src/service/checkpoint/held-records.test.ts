import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Journal } from '../journal/journal.js';
import { TraceTracks } from '../tracing/trace-tracks.js';
import { HeldRecords } from './held-records.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'held-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const EVERY = 0xffff_ffff;

async function all(held: HeldRecords): Promise<string[]> {
  const found: string[] = [];
  for await (const { position, line } of held.read()) found.push(`${position} ${line}`);
  return found;
}

it('a file that was deleted holds nothing, and the next one is made all the same', async () => {
  const options = {
    sync: 'never',
    history: { ageMillis: 1e9, bytes: 1e9 },
    prepare: (record: never) => record,
  } as const;
  const journal = await Journal.open(join(folder, 'journal'), options as never);
  await journal.append([Buffer.from('{"new":1}')], [{ hook: 'h', time_unix_nano: '1', payload: {} }]);
  const tracks = new TraceTracks(0);
  tracks.note(undefined, true);
  writeFileSync(join(folder, 'held-0.ndjson'), '0 {"old":1}\n');
  const held = new HeldRecords(folder, 0, 'held-0.ndjson', 12, [0], [EVERY]);
  expect(await all(held)).toEqual(['0 {"old":1}']);
  rmSync(join(folder, 'held-0.ndjson'));
  expect(await all(held)).toEqual([]);
  const next = await held.extended(journal, tracks, 1);
  expect(await all(next)).toEqual(['0 {"new":1}']);
  expect(readdirSync(folder).filter((name) => name.startsWith('held'))).toEqual(['held-1.ndjson']);
  await journal.close();
});
