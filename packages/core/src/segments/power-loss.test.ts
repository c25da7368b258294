import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { SegmentLog } from './segment-log.js';

afterEach(() => vi.restoreAllMocks());

/** Notes what of each file was synced, by inode: that much is there after a power loss, whatever was written. */
async function watchSyncs(folder: string): Promise<Map<number, number>> {
  const handle = await open(folder, 'r');
  await handle.close();
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  const { datasync } = handles;
  const synced = new Map<number, number>();
  vi.spyOn(handles, 'datasync').mockImplementation(async function (this: FileHandle) {
    const { ino, size } = await this.stat();
    await datasync.call(this);
    synced.set(ino, size);
  });
  return synced;
}

it.each(['always', 'interval'] as const)('a power loss takes nothing that was acknowledged: %s', async (sync) => {
  const top = mkdtempSync(join(tmpdir(), 'power-'));
  const folder = join(top, 'log');
  const log = await SegmentLog.open(folder, { sync, syncMillis: 5, segmentBytes: 20_000 });
  const synced = await watchSyncs(top);
  let acknowledged = 0;
  let isDone = false;
  const appending = (async () => {
    for (let i = 0; !isDone; i++) {
      const append = log.append([Buffer.alloc(100 + (i % 700), i)]).then((position) => {
        acknowledged = position + 1;
      });
      if (i % 40 === 0) await append;
    }
  })();
  for (let round = 0; round < 8; round++) {
    await new Promise((resolve) => setTimeout(resolve, 3 + round * 4));
    const before = acknowledged;
    const left = mkdtempSync(join(top, 'left-'));
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.seg'))) {
      cpSync(join(folder, name), join(left, name));
      const { ino } = statSync(join(folder, name));
      truncateSync(join(left, name), synced.get(ino) ?? 0);
    }
    const found = await SegmentLog.open(left, { onDamage: () => undefined });
    expect(found.next).toBeGreaterThanOrEqual(before);
    let next = 0;
    for await (const batch of found.read()) for (const { position } of batch) expect(position).toBe(next++);
    expect(next).toBe(found.next);
    await found.close();
  }
  isDone = true;
  await appending;
  await log.close();
  expect(acknowledged).toBeGreaterThan(40);
  rmSync(top, { recursive: true });
});
