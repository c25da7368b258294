import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import type { ObserverError } from '../errors.js';
import { SegmentLog } from './segment-log.js';
import type { SyncPolicy } from './sync-policy.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'failing-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function readAll(log: SegmentLog): Promise<string[]> {
  const values: string[] = [];
  for await (const batch of log.read())
    values.push(...batch.map(({ payload }) => payload.toString('latin1').slice(0, 8)));
  return values;
}

/** The class of all file handles, to let one of its calls fail as a disk does. */
async function fileHandles(): Promise<FileHandle> {
  const handle = await open(folder, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}
const error = (code: string) => Object.assign(new Error(`${code}: the disk says so`), { code });
const record = (name: string, bytes = 8) => Buffer.alloc(bytes, name.padEnd(8));
const outcome = (appends: Promise<number>[]) =>
  Promise.allSettled(appends).then((all) =>
    all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code)),
  );

function mountSmall(context: TestContext, path: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', path], {
    encoding: 'utf8',
  });
  if (status === 0) return;
  const reason = `no tmpfs can be mounted: ${stderr?.trim() || 'no mount'}`;
  Object.assign(context.task.meta, { skipReason: reason });
  process.stdout.write(`skipped: ${context.task.name}: ${reason}\n`);
  context.skip(reason);
}

describe('a full disk', () => {
  it('rejects, and the log goes on when there is space', async (context) => {
    mountSmall(context, folder);
    try {
      for (const sync of ['always', 'interval', 'never'] as const) await fillAndGoOn(join(folder, sync), sync);
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  });
});

async function fillAndGoOn(path: string, sync: SyncPolicy): Promise<void> {
  const log = await SegmentLog.open(path, { sync, syncMillis: 5, segmentBytes: 50_000 });
  const kept: string[] = [];
  let code: string | undefined;
  for (let i = 0; code === undefined; i++) {
    const append = log.append([record(`n${i}`, 3_000), record(`m${i}`, 3_000)]);
    const position = await append.catch((cause: ObserverError) => {
      code = cause.code;
    });
    if (position === undefined) break;
    expect(position).toBe(kept.length);
    kept.push(`n${i}`.padEnd(8), `m${i}`.padEnd(8));
  }
  expect(code).toBe('HO_STORE_FULL');
  expect(await readAll(log)).toEqual(kept);
  await expect(log.append([record('still', 100_000)])).rejects.toMatchObject({ code: 'HO_STORE_FULL' });
  const { to } = await log.truncateBefore(kept.length / 2);
  expect(to).toBeGreaterThan(0);
  expect(await log.append([record('space', 9_000)])).toBe(kept.length);
  const expected = [...kept.slice(to), 'space   '];
  expect(await readAll(log)).toEqual(expected);
  await log.close();
  const reopened = await SegmentLog.open(path);
  expect(await readAll(reopened)).toEqual(expected);
  expect(reopened.damage).toEqual({ cutBytes: 0, lostRecords: 0, skippedBytes: 0 });
  await reopened.close();
  await fillAndEmpty(path, sync);
}

/** On a full disk all that is delivered can be deleted, also from the one segment that all of it is in. */
async function fillAndEmpty(path: string, sync: SyncPolicy): Promise<void> {
  const log = await SegmentLog.open(path, { sync, syncMillis: 5 });
  await log.truncateBefore(log.next);
  expect(log.size).toBe(0);
  const first = log.next;
  let isFull = false;
  while (!isFull) {
    await log.append([record('full', 3_000)]).catch(() => {
      isFull = true;
    });
  }
  const { next } = log;
  expect(next - first).toBeGreaterThan(100);
  expect(await log.truncateBefore(next)).toMatchObject({ segments: 1, to: next });
  expect([log.size, log.oldest]).toEqual([0, next]);
  expect(await log.append([record('space', 9_000)])).toBe(next);
  await log.truncateBefore(log.next);
  await log.close();
}

describe('a sync that fails', () => {
  it.each(['always', 'interval'] as const)(
    'rejects all since the last good one, and is not tried again: %s',
    async (sync) => {
      const log = await SegmentLog.open(folder, { sync, syncMillis: 10 });
      await log.append([record('good')]);
      const handles = await fileHandles();
      const datasync = vi.spyOn(handles, 'datasync').mockRejectedValueOnce(error('EIO'));
      const failed = await outcome([log.append([record('bad 1')]), log.append([record('bad 2'), record('bad 3')])]);
      expect(failed).toEqual(['HO_STORE_FAILED', 'HO_STORE_FAILED']);
      expect(datasync).toHaveBeenCalledTimes(1);
      expect([log.next, log.pendingBytes]).toEqual([1, 0]);
      expect(await log.append([record('again')])).toBe(1);
      expect(await readAll(log)).toEqual(['good    ', 'again   ']);
      await log.close();
      expect(readdirSync(folder).filter((name) => name.endsWith('.seg'))).toHaveLength(2);
      expect(readFileSync(join(folder, '0000000000000000.seg')).toString('latin1')).not.toContain('bad');
      const reopened = await SegmentLog.open(folder);
      expect(await readAll(reopened)).toEqual(['good    ', 'again   ']);
      expect(reopened.damage).toEqual({ cutBytes: 0, lostRecords: 0, skippedBytes: 0 });
      await reopened.close();
    },
  );

  it('needs no cut: what the old file has too much is not read', async () => {
    const log = await SegmentLog.open(folder, { sync: 'always' });
    await log.append([record('good')]);
    const handles = await fileHandles();
    vi.spyOn(handles, 'datasync').mockRejectedValueOnce(error('EIO'));
    vi.spyOn(handles, 'truncate').mockRejectedValueOnce(error('EIO'));
    expect(await outcome([log.append([record('bad')])])).toEqual(['HO_STORE_FAILED']);
    await log.append([record('again')]);
    expect(await readAll(log)).toEqual(['good    ', 'again   ']);
    await log.close();
    expect(readFileSync(join(folder, '0000000000000000.seg')).toString('latin1')).toContain('bad');
    const reopened = await SegmentLog.open(folder);
    expect(await readAll(reopened)).toEqual(['good    ', 'again   ']);
    await reopened.close();
  });

  it('of the first record of a log starts it anew', async () => {
    const log = await SegmentLog.open(folder, { sync: 'always' });
    vi.spyOn(await fileHandles(), 'datasync').mockRejectedValueOnce(error('EIO'));
    expect(await outcome([log.append([record('bad')])])).toEqual(['HO_STORE_FAILED']);
    expect(await log.append([record('again')])).toBe(0);
    expect(await readAll(log)).toEqual(['again   ']);
    const { bytes } = await log.retain({ bytes: 1 });
    expect([bytes, log.size]).toEqual([0, statSync(join(folder, '0000000000000000.seg')).size]);
    await log.close();
  });

  it('at a flush rejects also what was appended meanwhile, so that the order holds', async () => {
    const log = await SegmentLog.open(folder, { syncMillis: 60_000 });
    await log.append([record('before')]);
    const first = log.append([record('first')]);
    vi.spyOn(await fileHandles(), 'datasync').mockImplementationOnce(async () => {
      late.push(log.append([record('late')]));
      throw error('EIO');
    });
    const late: Promise<number>[] = [];
    const [flushed] = await Promise.allSettled([log.flush()]);
    expect(flushed.status).toBe('rejected');
    expect(await outcome([first, ...late])).toEqual(['HO_STORE_FAILED', 'HO_STORE_FAILED']);
    expect(log.pendingBytes).toBe(0);
    const again = log.append([record('again')]);
    await log.close();
    expect(await again).toBe(1);
  });

  it('at a close is said, and the folder is given back', async () => {
    const log = await SegmentLog.open(folder, { syncMillis: 60_000 });
    await log.append([record('before')]);
    const append = log.append([record('bad')]);
    vi.spyOn(await fileHandles(), 'datasync').mockRejectedValueOnce(error('EIO'));
    const [closed, appended] = await Promise.allSettled([log.close(), append]);
    expect([closed.status, appended.status]).toEqual(['rejected', 'rejected']);
    await (await SegmentLog.open(folder)).close();
  });
});

describe('a sync of what was acknowledged without one fails', () => {
  const inode = (name: string) => statSync(join(folder, name)).ino;

  it('and what was written since the last good one is written again with the next', async () => {
    const log = await SegmentLog.open(folder, { sync: 'never', segmentBytes: 300 });
    for (let i = 0; i < 9; i++) await log.append([record(`early ${i}`, 100)]);
    await log.flush();
    for (let i = 0; i < 9; i++) await log.append([record(`late ${i}`, 100)]);
    const files = readdirSync(folder).filter((name) => name.endsWith('.seg'));
    const before = files.map(inode);
    const handles = await fileHandles();
    const datasync = vi.spyOn(handles, 'datasync').mockRejectedValue(error('ENOSPC'));
    await expect(log.flush()).rejects.toMatchObject({ code: 'HO_STORE_FULL' });
    await expect(log.flush()).rejects.toMatchObject({ code: 'HO_STORE_FULL' });
    // It is acknowledged: it can be read, and more can be appended.
    await log.append([record('later', 100)]);
    expect(await readAll(log)).toHaveLength(19);
    datasync.mockRestore();
    await log.flush();
    // The one whose sync failed, and the one that was written to.
    const anew = files.filter((name, i) => inode(name) !== before[i]);
    expect(anew).toHaveLength(2);
    expect(anew).toContain(files.at(-1));
    expect(readdirSync(folder).filter((name) => name.endsWith('.again'))).toEqual([]);
    const synced = vi.spyOn(handles, 'datasync');
    await log.flush();
    // Once: what is durable is not done again.
    expect(synced.mock.calls.length).toBeLessThanOrEqual(1);
    const names = await readAll(log);
    await log.close();
    const again = await SegmentLog.open(folder);
    expect(await readAll(again)).toEqual(names);
    expect(again.damage.lostRecords).toBe(0);
    await again.close();
  });

  it('and what the kernel let go of is not said to be there', async () => {
    const log = await SegmentLog.open(folder, { sync: 'never', onDamage: () => undefined });
    await log.append([record('a'), record('b')]);
    const handles = await fileHandles();
    const datasync = vi.spyOn(handles, 'datasync').mockRejectedValueOnce(error('EIO'));
    await expect(log.flush()).rejects.toMatchObject({ code: 'HO_STORE_FAILED' });
    datasync.mockRestore();
    const path = join(folder, '0000000000000000.seg');
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([whole.subarray(0, 50), Buffer.alloc(whole.length - 50)]));
    await expect(log.flush()).rejects.toMatchObject({ code: 'HO_STORE_FAILED' });
    writeFileSync(path, whole);
    await log.flush();
    await log.close();
  });

  it('a flush syncs also what is in segments that were ended since the one before', async () => {
    const log = await SegmentLog.open(folder, { sync: 'never', segmentBytes: 100 });
    const handles = await fileHandles();
    const synced = new Set<number>();
    const { datasync } = handles;
    vi.spyOn(handles, 'datasync').mockImplementation(async function (this: FileHandle) {
      synced.add((await this.stat()).ino);
      await datasync.call(this);
    });
    for (let i = 0; i < 5; i++) await log.append([record(`n${i}`, 100)]);
    await log.flush();
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.seg'))) {
      expect(synced.has(inode(name))).toBe(true);
    }
    await log.close();
  });
});

describe('a write that fails', () => {
  it('takes along what was appended behind it, so that the order holds', async () => {
    const log = await SegmentLog.open(folder, { sync: 'interval', syncMillis: 30 });
    await log.append([record('first')]);
    const handles = await fileHandles();
    const { writev } = handles;
    const { size } = log;
    const early = log.append([record('early')]);
    await vi.waitFor(() => expect(log.size).toBeGreaterThan(size));
    // Half of it is on the disk when the disk is full.
    vi.spyOn(handles, 'writev').mockImplementationOnce(async function (this: FileHandle, parts, at) {
      await writev.call(this, [Buffer.from(parts[0]?.buffer ?? new ArrayBuffer(0), 0, 10)], at);
      throw error('ENOSPC');
    });
    const late = [log.append([record('bad', 600_000)]), log.append([record('b', 600_000)]), log.append([record('c')])];
    expect(await outcome([early, ...late])).toEqual([1, 'HO_STORE_FULL', 'HO_STORE_FULL', 'HO_STORE_FULL']);
    expect(await log.append([record('again')])).toBe(2);
    expect(await readAll(log)).toEqual(['first   ', 'early   ', 'again   ']);
    await log.close();
  });

  it('and cannot be cut either ends its segment', async () => {
    const log = await SegmentLog.open(folder, { sync: 'always' });
    await log.append([record('good')]);
    const handles = await fileHandles();
    vi.spyOn(handles, 'writev').mockRejectedValueOnce(error('EIO'));
    vi.spyOn(handles, 'truncate').mockRejectedValueOnce(error('EIO'));
    expect(await outcome([log.append([record('bad')])])).toEqual(['HO_STORE_FAILED']);
    expect(await log.append([record('again')])).toBe(1);
    await log.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.seg'))).toHaveLength(2);
  });

  it('at the begin of a segment is tried again', async () => {
    const log = await SegmentLog.open(folder, { sync: 'always' });
    vi.spyOn(await fileHandles(), 'writev').mockRejectedValueOnce(error('ENOSPC'));
    expect(await outcome([log.append([record('bad')])])).toEqual(['HO_STORE_FULL']);
    expect(await log.append([record('again')])).toBe(0);
    expect(await readAll(log)).toEqual(['again   ']);
    await log.close();
  });

  it('of a part is continued', async () => {
    const log = await SegmentLog.open(folder, { sync: 'never' });
    const handles = await fileHandles();
    const { writev } = handles;
    vi.spyOn(handles, 'writev').mockImplementation(function (this: FileHandle, parts, at) {
      const part = parts.find(({ byteLength }) => byteLength > 0) as Uint8Array;
      return writev.call(this, [part.subarray(0, 7)], at) as never;
    });
    await log.append([record('a'), record('b', 40_000), record('c')]);
    vi.restoreAllMocks();
    expect(await readAll(log)).toEqual(['a       ', 'b       ', 'c       ']);
    await log.close();
  });
});
