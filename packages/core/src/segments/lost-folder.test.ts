import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Damage } from './damage.js';
import { SegmentLog } from './segment-log.js';

let top: string;
let folder: string;
const said: Damage[] = [];
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'lost-'));
  folder = join(top, 'a', 'log');
  said.length = 0;
});
afterEach(() => rmSync(top, { recursive: true }));

const open = (sync: 'always' | 'interval' | 'never') =>
  SegmentLog.open(folder, { sync, syncMillis: 5, onDamage: (damage) => said.push(damage) });
const segments = () => readdirSync(folder).filter((name) => name.endsWith('.seg'));

async function readAll(log: SegmentLog): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of log.read()) texts.push(...batch.map(({ payload }) => payload.toString()));
  return texts;
}

/** Under `never` it is looked now and then only. */
const aLittle = () => new Promise((resolve) => setTimeout(resolve, 60));

describe.each(['always', 'interval', 'never'] as const)('a folder that goes while it is used, %s', (sync) => {
  it.each([
    ['deleted', () => rmSync(join(top, 'a'), { recursive: true })],
    ['moved away', () => renameSync(join(top, 'a'), join(top, 'b'))],
    [
      'replaced by an empty one',
      () => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
      },
    ],
    ['without its newest segment', () => rmSync(join(folder, segments().at(-1) ?? ''))],
    [
      'without its lock',
      () => {
        for (const name of readdirSync(folder)) if (name.startsWith('lock.')) rmSync(join(folder, name));
      },
    ],
  ])('acknowledges nothing from then on, until it is made again: %s', async (how, harm) => {
    const log = await open(sync);
    await log.append([Buffer.from('a'), Buffer.from('b')]);
    await aLittle();
    harm();
    await expect(log.append([Buffer.from('c')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
    await expect(log.append([Buffer.from('c')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
    await expect(log.flush()).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
    expect([log.next, log.pendingBytes]).toEqual([2, 0]);
    await log.restore();
    // Positions go on: nobody who counts them is confused.
    expect(await log.append([Buffer.from('c')])).toBe(2);
    await log.flush();
    const isKept = how === 'without its lock';
    expect(await readAll(log)).toEqual(isKept ? ['a', 'b', 'c'] : ['c']);
    expect(log.damage.lostRecords).toBe(isKept ? 0 : 2);
    await expect(SegmentLog.open(folder)).rejects.toMatchObject({ code: 'HO_STORE_LOCKED' });
    await log.close();
    const again = await open(sync);
    expect(again.next).toBe(3);
    expect((await readAll(again)).at(-1)).toBe('c');
    await again.close();
  });
});

it('an idle log finds out when it is asked to look', async () => {
  const log = await open('interval');
  await log.append([Buffer.from('a')]);
  await log.check();
  rmSync(folder, { recursive: true });
  await expect(log.check()).rejects.toMatchObject({ code: 'HO_STORE_GONE', message: expect.stringContaining(folder) });
  await log.restore();
  await log.check();
  await log.close();
});

it('what waited for its sync is rejected, and can be appended again in its order', async () => {
  const log = await SegmentLog.open(folder, { sync: 'interval', syncMillis: 300, onDamage: () => undefined });
  await log.append([Buffer.from('first')]);
  const waiting = [log.append([Buffer.from('x')]), log.append([Buffer.from('y')])];
  rmSync(folder, { recursive: true });
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason.code)).toEqual([
    'HO_STORE_GONE',
    'HO_STORE_GONE',
  ]);
  await log.restore();
  expect(await Promise.all([log.append([Buffer.from('x')]), log.append([Buffer.from('y')])])).toEqual([1, 2]);
  await log.close();
});

it('a reader that was at it reads on to the end of what was written, and then what is new', async () => {
  const log = await open('always');
  await log.append([Buffer.from('a')]);
  const reading = log.read({ follow: true });
  const next = async () => ((await reading.next()).value ?? []).map(({ payload }) => payload.toString());
  expect(await next()).toEqual(['a']);
  await log.append([Buffer.from('b')]);
  rmSync(folder, { recursive: true });
  await expect(log.append([Buffer.from('c')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
  await log.restore();
  await log.append([Buffer.from('c')]);
  expect([await next(), await next()]).toEqual([['b'], ['c']]);
  expect(log.damage.lostRecords).toBe(0);
  await reading.return();
  await log.close();
});

it('another log in its place is left alone', async () => {
  const log = await open('always');
  await log.append([Buffer.from('a')]);
  rmSync(folder, { recursive: true });
  const other = join(top, 'other');
  const made = await SegmentLog.open(other, { sync: 'always' });
  await made.append([Buffer.from('of others')]);
  await made.truncateBefore(1);
  await made.append([Buffer.from('of others')]);
  await made.close();
  cpSync(other, folder, { recursive: true });
  await expect(log.append([Buffer.from('b')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
  await expect(log.restore()).rejects.toMatchObject({ code: 'HO_STORE_GONE', message: /another log/ });
  await expect(log.append([Buffer.from('b')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
  await expect(log.close()).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
  const theirs = await SegmentLog.open(folder);
  expect(await readAll(theirs)).toEqual(['of others']);
  await theirs.close();
});

it('somebody else who took the folder meanwhile keeps it', async () => {
  const log = await open('always');
  await log.append([Buffer.from('a')]);
  rmSync(folder, { recursive: true });
  const other = await SegmentLog.open(folder, { sync: 'always' });
  await expect(log.append([Buffer.from('b')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
  await expect(log.restore()).rejects.toMatchObject({ code: 'HO_STORE_LOCKED' });
  expect(await other.append([Buffer.from('mine')])).toBe(0);
  await log.close().catch(() => undefined);
  await other.append([Buffer.from('still')]);
  await other.close();
});

it('where the folder cannot be made again, it is said, and it goes on once it can', async () => {
  const log = await open('always');
  await log.append([Buffer.from('a')]);
  rmSync(join(top, 'a'), { recursive: true });
  writeFileSync(join(top, 'a'), 'a file');
  await expect(log.append([Buffer.from('b')])).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
  await expect(log.restore()).rejects.toMatchObject({ code: 'HO_STORE_FAILED' });
  rmSync(join(top, 'a'));
  await log.restore();
  expect(await log.append([Buffer.from('b')])).toBe(1);
  await log.close();
});
