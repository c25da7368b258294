import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SegmentLogOptions } from './options.js';
import { SegmentLog } from './segment-log.js';
import type { StoredRecord } from './segment-reader.js';

let folder: string;
let open: SegmentLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'segments-'));
});
afterEach(async () => {
  for (const log of open) await log.close();
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

async function openLog(options?: SegmentLogOptions, below = ''): Promise<SegmentLog> {
  const log = await SegmentLog.open(join(folder, below), options);
  open.push(log);
  return log;
}

const text = (...values: (string | number)[]) => values.map((value) => Buffer.from(String(value)));
const numbered = (count: number, from = 0) => text(...Array.from({ length: count }, (_, i) => from + i));
const segments = () => readdirSync(folder).filter((name) => name.endsWith('.seg'));

async function readAll(log: SegmentLog, from?: number): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const batch of log.read(from === undefined ? {} : { from })) records.push(...batch);
  return records;
}
const texts = (records: readonly StoredRecord[]) => records.map(({ payload }) => payload.toString());

describe('a log', () => {
  it.each(['always', 'interval', 'never'] as const)(
    'has what was appended, after another open too: %s',
    async (sync) => {
      const before = Date.now();
      const log = await openLog({ sync, syncMillis: 5 });
      expect([log.oldest, log.next, log.size]).toEqual([0, 0, 0]);
      expect(await log.append(text('a', 'b'))).toBe(0);
      expect(await log.append(text('c'))).toBe(2);
      expect([log.oldest, log.next, log.pendingBytes]).toEqual([0, 3, 0]);
      await log.close();

      const again = await openLog({ sync, syncMillis: 5 });
      expect(again.next).toBe(3);
      expect(await again.append(text('d'))).toBe(3);
      const records = await readAll(again);
      expect(texts(records)).toEqual(['a', 'b', 'c', 'd']);
      expect(records.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
      expect(records.every(({ time }) => time >= before && time <= Date.now())).toBe(true);
      expect(texts(await readAll(again, 2))).toEqual(['c', 'd']);
      expect(again.damage).toEqual({ cutBytes: 0, lostRecords: 0, skippedBytes: 0 });
    },
  );

  it('reads any batches back equal, over segments and opens', async () => {
    const batch = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(batch, { maxLength: 5 }), { maxLength: 4 }), async (opens) => {
        const path = mkdtempSync(join(folder, 'any-'));
        for (const batches of opens) {
          const log = await SegmentLog.open(path, { sync: 'never', segmentBytes: 700 });
          await Promise.all(batches.map((payloads) => log.append(payloads)));
          await log.close();
        }
        const log = await SegmentLog.open(path);
        const records = await readAll(log);
        await log.close();
        const given = opens.flat(2).map((payload) => Buffer.from(payload).toString('hex'));
        expect(records.map(({ payload }) => payload.toString('hex'))).toEqual(given);
        expect(records.map(({ position }) => position)).toEqual(given.map((_, i) => i));
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the order of concurrent appends, and gives each its position', async () => {
    const log = await openLog({ sync: 'always', segmentBytes: 5_000 });
    const positions: Promise<number>[] = [];
    for (let i = 0; i < 300; i++) {
      positions.push(log.append(numbered(3, i * 3)));
      if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await Promise.all(positions)).toEqual(Array.from({ length: 300 }, (_, i) => i * 3));
    expect(texts(await readAll(log))).toEqual(texts(numbered(900).map((payload) => ({ payload }) as StoredRecord)));
    expect(segments().length).toBeGreaterThan(2);
  });

  it('takes records of many MiB, and refuses one over the bound', async () => {
    const log = await openLog({ sync: 'never' });
    const large = Buffer.alloc(20 * 1024 * 1024, 7);
    await log.append([Buffer.from('a'), large, Buffer.from('b')]);
    const records = await readAll(log);
    expect(records[1]?.payload.equals(large)).toBe(true);
    expect(records[2]?.payload.toString()).toBe('b');
    await expect(log.append([Buffer.alloc(64 * 1024 * 1024 + 1)])).rejects.toMatchObject({
      code: 'HO_RECORD_TOO_LONG',
    });
  });

  it('is private, and named by position', async () => {
    const path = join(folder, 'a', 'b');
    const log = await SegmentLog.open(path, { sync: 'never', segmentBytes: 40 });
    await log.append(text('x'));
    await log.append(text('y'));
    await log.close();
    expect(statSync(path).mode & 0o777).toBe(0o700);
    const files = readdirSync(path).filter((name) => name.endsWith('.seg'));
    expect(files).toEqual(['0000000000000000.seg', '0000000000000001.seg']);
    for (const file of readdirSync(path)) expect(statSync(join(path, file)).mode & 0o777).toBe(0o600);
  });

  it('begins a new segment by age, and none while nothing is appended', async () => {
    const log = await openLog({ sync: 'never', segmentMillis: 20 });
    await log.append(text('a'));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(segments()).toHaveLength(1);
    await log.append(text('b'));
    expect(segments()).toHaveLength(2);
  });

  it('acknowledges after the sync: at the interval, or at a flush', async () => {
    const log = await openLog({ sync: 'interval', syncMillis: 200 });
    await log.append(text('first'));
    const start = performance.now();
    const { size } = log;
    const append = log.append(text('a'));
    await vi.waitFor(() => expect(log.size).toBeGreaterThan(size));
    if (performance.now() - start < 150) expect([log.next, log.pendingBytes > 0]).toEqual([1, true]);
    await append;
    expect(performance.now() - start).toBeGreaterThan(190);
    const slow = log.append(text('b'));
    await log.flush();
    expect(log.next).toBe(3);
    expect(await slow).toBe(2);
  });

  it('acknowledges at once what comes after a quiet time', async () => {
    const log = await openLog({ sync: 'interval', syncMillis: 60_000 });
    expect(await log.append(text('a'))).toBe(0);
    const quick = await openLog({ sync: 'interval', syncMillis: 50 }, 'quick');
    await quick.append(text('a'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await quick.append(text('b'))).toBe(1);
  });

  it('bounds what waits', async () => {
    const log = await openLog({ sync: 'interval', syncMillis: 20, maxPendingBytes: 1_000 });
    const first = log.append([Buffer.alloc(2_000)]);
    await expect(log.append(text('b'))).rejects.toMatchObject({ code: 'HO_STORE_BUSY' });
    // Each waits its turn, and none is refused, though each append fills it.
    const others = [1, 2, 3].map(async () => {
      await log.room();
      return log.append([Buffer.alloc(2_000)]);
    });
    expect(await Promise.all([first, ...others])).toEqual([0, 1, 2, 3]);
    expect(log.pendingBytes).toBe(0);
  });

  it('finishes at close what was appended, and takes nothing more', async () => {
    const log = await openLog({ sync: 'interval', syncMillis: 60_000 });
    const appends = [log.append(text('a')), log.append(text('b'))];
    const closed = log.close();
    await expect(log.append(text('c'))).rejects.toMatchObject({ code: 'HO_STORE_CLOSED' });
    await expect(log.flush()).rejects.toMatchObject({ code: 'HO_STORE_CLOSED' });
    expect(await Promise.all(appends)).toEqual([0, 1]);
    await closed;
    await log.close();
    expect(texts(await readAll(await openLog()))).toEqual(['a', 'b']);
  });

  it('names an option that is wrong', async () => {
    const wrong = [{ sync: 'sometimes' }, { segmentBytes: 0 }, { syncMillis: Number.NaN }] as SegmentLogOptions[];
    for (const options of wrong) {
      await expect(SegmentLog.open(folder, options)).rejects.toMatchObject({ code: 'HO_OPTION' });
    }
  });
});

describe('a reader', () => {
  it('follows what is appended, over segments, until the log is closed', async () => {
    const log = await openLog({ sync: 'interval', syncMillis: 2, segmentBytes: 2_000 });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const batch of log.read({ follow: true })) seen.push(...texts(batch));
    })();
    for (let i = 0; i < 100; i++) {
      const append = log.append(numbered(10, i * 10));
      if (i % 10 === 0) await append;
    }
    await log.close();
    await reading;
    expect(seen).toEqual(numbered(1_000).map(String));
  });

  it('sees nothing that is not durable', async () => {
    const log = await openLog({ sync: 'interval', syncMillis: 60_000 });
    await log.append(text('a'));
    const append = log.append(text('b'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(texts(await readAll(log))).toEqual(['a']);
    await log.flush();
    await append;
    expect(texts(await readAll(log))).toEqual(['a', 'b']);
  });

  it('ends at what is durable when it is called', async () => {
    const log = await openLog({ sync: 'never' });
    await log.append(text('a'));
    const reading = log.read();
    await log.append(text('b'));
    const { value } = await reading.next();
    expect(texts(value ?? [])).toEqual(['a']);
    expect((await reading.next()).done).toBe(true);
  });

  it('ends at a signal while it waits', async () => {
    const log = await openLog();
    const stop = new AbortController();
    const next = log.read({ follow: true, signal: stop.signal }).next();
    setTimeout(() => stop.abort(), 10);
    expect((await next).done).toBe(true);
  });

  it('goes on from a cursor: older than all, or ahead of all', async () => {
    const log = await openLog({ sync: 'never', segmentBytes: 100 });
    for (let i = 0; i < 20; i++) await log.append(numbered(1, i));
    await log.truncateBefore(10);
    expect(log.oldest).toBeGreaterThan(0);
    expect((await readAll(log, 0))[0]?.position).toBe(log.oldest);
    const ahead = log.read({ from: 1_000, follow: true });
    const next = ahead.next();
    await log.append(text('new'));
    expect(texts((await next).value ?? [])).toEqual(['new']);
    await ahead.return();
  });

  it('goes on with what is kept when segments are deleted under it', async () => {
    const log = await openLog({ sync: 'never', segmentBytes: 300_000 });
    for (let i = 0; i < 50; i++) await log.append([Buffer.alloc(100_000, i)]);
    const positions: number[] = [];
    for await (const batch of log.read()) {
      positions.push(...batch.map(({ position }) => position));
      if (positions.length < 10) await log.truncateBefore(30);
    }
    expect(positions.at(-1)).toBe(49);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    expect(positions.length).toBeLessThan(30);
    expect(log.damage.lostRecords).toBe(0);
  });
});
