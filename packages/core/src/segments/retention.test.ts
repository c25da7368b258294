import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SegmentLogOptions } from './options.js';
import { SegmentLog } from './segment-log.js';

const HOUR = 3_600_000;
let folder: string;
let log: SegmentLog;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'retention-'));
  await openLog();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await log.close();
  rmSync(folder, { recursive: true });
});

async function openLog(options: SegmentLogOptions = {}): Promise<void> {
  log = await SegmentLog.open(folder, { sync: 'never', segmentBytes: 1_000, ...options });
}
async function reopen(): Promise<void> {
  await log.close();
  await openLog();
}
async function append(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await log.append([Buffer.alloc(200)]);
}
const files = () => readdirSync(folder).filter((name) => name.endsWith('.seg'));
/** As if all files had been written that long ago. */
function age(millis: number): void {
  const time = new Date(Date.now() - millis);
  for (const file of files()) utimesSync(join(folder, file), time, time);
}

describe('truncateBefore', () => {
  it('deletes whole segments, and says what', async () => {
    await append(20);
    expect(files()).toHaveLength(5);
    const size = log.size;
    const removed = await log.truncateBefore(9);
    expect(removed).toMatchObject({ segments: 2, from: 0, to: 8 });
    expect(log.size).toBe(size - removed.bytes);
    expect([log.oldest, log.next, files().length]).toEqual([8, 20, 3]);
    expect(await log.truncateBefore(9)).toEqual({ segments: 0, bytes: 0, from: 8, to: 8 });
  });

  it('empties the log when all is delivered, and positions go on, after another open too', async () => {
    await append(6);
    expect(await log.truncateBefore(6)).toMatchObject({ from: 0, to: 6, segments: 2 });
    expect([log.oldest, log.next, files().length]).toEqual([6, 6, 1]);
    expect(await log.truncateBefore(6)).toMatchObject({ segments: 0 });
    await reopen();
    expect([log.oldest, log.next]).toEqual([6, 6]);
    await append(1);
    expect([log.oldest, log.next]).toEqual([6, 7]);
    await reopen();
    expect(await log.truncateBefore(7)).toMatchObject({ from: 6, to: 7 });
    await reopen();
    expect(log.next).toBe(7);
  });

  it('keeps what is appended meanwhile', async () => {
    await log.close();
    await openLog({ sync: 'interval', syncMillis: 20 });
    const first = log.append([Buffer.from('a')]);
    await log.flush();
    await first;
    const second = log.append([Buffer.from('b')]);
    await log.truncateBefore(1);
    await second;
    const seen: number[] = [];
    for await (const batch of log.read()) seen.push(...batch.map(({ position }) => position));
    expect(seen.at(-1)).toBe(1);
  });
});

describe('retain', () => {
  it('by size deletes the oldest segments, never the last', async () => {
    await append(20);
    const removed = await log.retain({ bytes: 2_000 });
    expect(removed).toMatchObject({ segments: 3, from: 0, to: 12 });
    expect(log.size).toBeLessThanOrEqual(2_000);
    await log.retain({ bytes: 1 });
    expect([log.oldest, log.next, files().length]).toEqual([16, 20, 1]);
  });

  it('by age deletes what is older, also the segment that is written to', async () => {
    await append(6);
    age(2 * HOUR);
    await reopen();
    expect(await log.retain({ ageMillis: 3 * HOUR })).toMatchObject({ segments: 0 });
    await append(1);
    expect(await log.retain({ ageMillis: HOUR })).toMatchObject({ from: 0, to: 6 });
    expect([log.oldest, log.next]).toEqual([6, 7]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await log.retain({ ageMillis: 10 })).toMatchObject({ from: 6, to: 7 });
    expect([log.oldest, log.next]).toEqual([7, 7]);
  });

  it('is not misled by a clock that is set while the log is open', async () => {
    await append(6);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now');
    for (const shift of [-24 * HOUR, 100 * 365 * 24 * HOUR]) {
      clock.mockReturnValue(now + shift);
      expect(await log.retain({ ageMillis: HOUR })).toMatchObject({ segments: 0 });
      await append(1);
    }
    const times: number[] = [];
    for await (const batch of log.read()) times.push(...batch.map(({ time }) => time));
    expect(times.slice(-2)).toEqual([now - 24 * HOUR, now + 100 * 365 * 24 * HOUR]);
    expect(log.oldest).toBe(0);
  });

  it('takes files from a time ahead, after a clock was set back, as new', async () => {
    await append(6);
    age(-24 * HOUR);
    await reopen();
    expect(await log.retain({ ageMillis: HOUR })).toMatchObject({ segments: 0 });
    expect(await log.retain({ ageMillis: 0 })).toMatchObject({ to: 6 });
  });
});
