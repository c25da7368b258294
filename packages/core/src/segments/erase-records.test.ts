import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SegmentLog } from './segment-log.js';

let folder: string;
let log: SegmentLog;
const damage: string[] = [];
const openLog = async () => {
  const onDamage = ({ error }: { error: Error }) => void damage.push(error.message);
  log = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 1_000, onDamage });
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'erase-'));
  damage.length = 0;
  await openLog();
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true });
});

const text = (n: number) => `record ${n} ${'-'.repeat(90)}`;
async function append(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) await log.append([Buffer.from(text(n))]);
}
async function all(): Promise<string[]> {
  const read: string[] = [];
  for await (const batch of log.read()) {
    for (const { position, payload } of batch) {
      expect(position).toBe(read.length);
      read.push(payload.toString());
    }
  }
  return read;
}
const names = () => readdirSync(folder).filter((name) => !name.startsWith('lock'));
const bytes = () => Buffer.concat(names().map((name) => readFileSync(join(folder, name)))).toString('latin1');

it('empties records on disk, and leaves positions, others and ages', async () => {
  await append(0, 40);
  const old = join(folder, names()[1] as string);
  utimesSync(old, new Date(1_000_000), new Date(2_000_000));
  const size = log.size;
  expect(await log.erase([3, 2, 12, 1, 39, 1])).toEqual({ erased: 3, isWhole: false });
  const gone = [3, 4, 12];
  const wanted = Array.from({ length: 40 }, (_, n) => (gone.includes(n) ? '' : text(n)));
  expect(await all()).toEqual(wanted);
  for (const n of gone) expect(bytes()).not.toContain(`record ${n} `);
  // In the segment that is written to.
  expect(bytes()).toContain('record 39 ');
  expect(log.size).toBe(size - 3 * text(10).length + 2);
  expect(statSync(old).mtime.getTime()).toBe(2_000_000);
  await log.roll();
  expect(await log.erase([3, 2, 12, 1, 39, 1], 38)).toEqual({ erased: 0, isWhole: false });
  expect(await log.erase([3, 2, 12, 1, 39, 1])).toEqual({ erased: 1, isWhole: true });
  expect(bytes()).not.toContain('record 39 ');
  await append(40, 45);
  await log.close();
  await openLog();
  expect([log.next, (await all())[44]]).toEqual([45, text(44)]);
  expect(damage).toEqual([]);
});

it('goes on while it is read and written to', async () => {
  await append(0, 200);
  const reading = (async () => {
    let count = 0;
    for await (const batch of log.read({ from: 0 })) {
      for (const { position, payload } of batch) {
        expect(['', text(position)]).toContain(payload.toString());
        count++;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return count;
  })();
  const [{ erased }, count] = await Promise.all([log.erase([0, 150]), reading, append(200, 260)]);
  expect([erased, count]).toEqual([150, 200]);
  expect((await all()).slice(150)).toEqual(Array.from({ length: 110 }, (_, i) => text(150 + i)));
});

it('takes damage along as what it is: records that are lost, without what was in them', async () => {
  await append(0, 30);
  const second = join(folder, names()[1] as string);
  const handle = await open(second, 'r+');
  // The payload of its second record, which nobody can read from now on.
  await handle.write(Buffer.from('#'), 0, 1, 24 + 14 + text(9).length + 60);
  await handle.close();
  const first = Number(names()[1]?.slice(0, 16));
  await log.erase([first, 1]);
  const read = await all();
  expect(read.slice(first, first + 3)).toEqual(['', '', text(first + 2)]);
  expect(damage.join('\n')).toContain(`record ${first + 1} is lost`);
  expect(bytes()).not.toContain(`record ${first + 1} `);
});

it('says so when it cannot, and leaves what was there', async () => {
  await append(0, 30);
  truncateSync(join(folder, names()[0] as string), 8);
  rmSync(join(folder, names()[1] as string));
  await expect(log.erase([8, 1, 9, 10])).rejects.toMatchObject({ code: 'HO_STORE_FAILED' });
  expect(names().filter((name) => name.includes('erased'))).toEqual([]);
});
