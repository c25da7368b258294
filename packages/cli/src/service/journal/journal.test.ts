import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HookRecord } from '@hermes-observer/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from './journal.js';

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true });
});

const open = async (history = { ageMillis: 1e9, bytes: 1e9 }) => {
  const options = { sync: 'always', segmentBytes: 1_000, history, prepare: (record: HookRecord) => record } as const;
  journal = await Journal.open(join(folder, 'j'), options);
};
const record = (n: number): HookRecord => ({ hook: 'h', time_unix_nano: String(n), payload: { n } });
async function append(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) await journal.append([Buffer.from(JSON.stringify(record(n)))], [record(n)]);
}

/** All from a position on, as a reader that never waits gets them. */
async function readFrom(position: number): Promise<number[]> {
  const read: number[] = [];
  for (let at = position; ; ) {
    const stretch = await journal.read(at);
    if (stretch === undefined) return read;
    expect(stretch.first).toBe(at);
    read.push(...stretch.records.map(({ payload }) => payload.n as number));
    at += stretch.records.length;
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('the journal', () => {
  it('gives records in order, from memory and from disk', async () => {
    await open();
    await append(0, 50);
    expect(await readFrom(0)).toEqual(numbers(0, 50));
    // What was taken from memory is on disk.
    expect(await readFrom(10)).toEqual(numbers(10, 50));
    await append(50, 60);
    expect(await readFrom(20)).toEqual(numbers(20, 60));
    await append(60, 70);
    expect(await readFrom(65)).toEqual(numbers(65, 70));
  });

  it('syncs before it is time for somebody who waits', async () => {
    const history = { ageMillis: 1e9, bytes: 1e9 };
    const options = { sync: 'interval', syncMillis: 60_000, history, prepare: (given: HookRecord) => given } as const;
    journal = await Journal.open(join(folder, 'j'), options);
    await append(0, 1);
    const appended = append(1, 2).then(() => true);
    const isKept = () => Promise.race([appended, new Promise((resolve) => setTimeout(resolve, 200))]);
    expect(await isKept()).toBeUndefined();
    journal.hurry();
    expect(await isKept()).toBe(true);
  });

  it('gives them after a restart', async () => {
    await open();
    await append(0, 30);
    await journal.close();
    await open();
    expect(await readFrom(5)).toEqual(numbers(5, 30));
  });

  it('wakes who waits at the end', async () => {
    await open();
    const woken = journal.follow(0);
    await append(0, 1);
    await woken;
    expect(await readFrom(0)).toEqual([0]);
  });

  it('deletes history over its size, and nothing that is needed', async () => {
    await open({ ageMillis: 1e9, bytes: 2_000 });
    await append(0, 200);
    const all = journal.bytes;
    await journal.retain(50);
    expect(journal.oldest).toBeGreaterThan(20);
    expect(journal.oldest).toBeLessThanOrEqual(50);
    await journal.retain(200);
    expect(journal.bytes).toBeLessThan(4_000);
    expect(all).toBeGreaterThan(8_000);
  });

  it('keeps none where none is wanted, and none on a full disk', async () => {
    await open({ ageMillis: 0, bytes: 0 });
    await append(0, 100);
    await journal.retain(40);
    expect(journal.oldest).toBeGreaterThan(20);
    expect(await readFrom(40)).toEqual(numbers(40, 100));
    await journal.close();
    await open();
    await journal.retain(100, true);
    expect([journal.oldest, journal.next]).toEqual([100, 100]);
  });
});
