import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Damage } from './damage.js';
import { readSegments } from './read-folder.js';
import { SegmentLog } from './segment-log.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function readAll(said: Damage[] = []): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of readSegments(folder, (damage) => said.push(damage)))
    texts.push(...batch.map(({ position, payload }) => `${position} ${payload}`));
  return texts;
}
const files = () => readdirSync(folder).sort();

it('reads a log that another one writes to, and leaves all of it as it was', async () => {
  const log = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 100 });
  for (let i = 0; i < 10; i++) await log.append([Buffer.from(`record ${i}`)]);
  const before = files().map((name) => readFileSync(join(folder, name)).toString('base64'));
  expect(await readAll()).toEqual(Array.from({ length: 10 }, (_, i) => `${i} record ${i}`));
  expect(files().map((name) => readFileSync(join(folder, name)).toString('base64'))).toEqual(before);
  await log.append([Buffer.from('more')]);
  expect((await readAll()).at(-1)).toBe('10 more');
  await log.close();
});

it('goes on when what it comes to next was deleted, and ends at what there was when it began', async () => {
  const log = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 60 });
  for (let i = 0; i < 6; i++) await log.append([Buffer.alloc(40, 65 + i)]);
  const reading = readSegments(folder);
  expect((await reading.next()).value?.map(({ position }) => position)).toEqual([0]);
  await log.truncateBefore(3);
  await log.append([Buffer.from('later')]);
  const rest: number[] = [];
  for await (const batch of reading) rest.push(...batch.map(({ position }) => position));
  expect(rest).toEqual([3, 4, 5]);
  await log.close();
});

it('tells of damage and reads on; half a record at the end is none', async () => {
  const log = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 200 });
  for (let i = 0; i < 8; i++) await log.append([Buffer.alloc(60, 65 + i)]);
  await log.close();
  const [first = '', , , last = ''] = files().filter((name) => name.endsWith('.seg'));
  const flip = (name: string, at: number) => {
    const bytes = readFileSync(join(folder, name));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(folder, name), bytes);
  };
  // The last record of the first file, which another file follows; and the end of the last file.
  flip(first, 120);
  const whole = readFileSync(join(folder, last));
  writeFileSync(join(folder, last), whole.subarray(0, whole.length - 5));
  const said: Damage[] = [];
  const texts = await readAll(said);
  expect(texts.map((text) => Number(text.split(' ')[0]))).toEqual([0, 2, 3, 4, 5, 6]);
  expect(said.map(({ position, records }) => [position, records])).toEqual([[1, 1]]);
});

it('of a folder that cannot be read says so', async () => {
  rmSync(folder, { recursive: true });
  await expect(readAll()).rejects.toMatchObject({ code: 'HO_STORE_FAILED' });
  folder = mkdtempSync(join(tmpdir(), 'read-'));
  expect(await readAll()).toEqual([]);
});
