import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Damage } from './damage.js';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES } from './segment-header.js';
import { SegmentLog } from './segment-log.js';

let top: string;
let whole: string;
let names: string[];
/** Byte at which each record of each file ends. */
const ends: number[][] = [];
const RECORDS = 60;

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), 'damage-'));
  whole = join(top, 'whole');
  const log = await SegmentLog.open(whole, { sync: 'never', segmentBytes: 1_000 });
  for (let i = 0; i < RECORDS; i++) await log.append([Buffer.alloc(i % 7 === 0 ? 0 : 30 + i, i)]);
  await log.close();
  names = readdirSync(whole).filter((name) => name.endsWith('.seg'));
  for (const name of names) {
    const bytes = readFileSync(join(whole, name));
    const list: number[] = [];
    for (let at = SEGMENT_HEADER_BYTES; at < bytes.length; list.push(at)) at += bytes.readUInt32LE(at + 4);
    ends.push(list);
  }
});
afterAll(() => rmSync(top, { recursive: true }));

const firstOf = (index: number) => Number(names[index]?.slice(0, 16) ?? RECORDS);

/** What is read of a copy in which one file was altered, and what was said. */
async function readDamaged(index: number, alter: (path: string) => void) {
  const folder = mkdtempSync(join(top, 'copy-'));
  cpSync(whole, folder, { recursive: true });
  const path = join(folder, names[index] ?? '');
  alter(path);
  const said: Damage[] = [];
  const log = await SegmentLog.open(folder, { sync: 'never', onDamage: (damage) => said.push(damage) });
  const sizeAfter = statSync(path, { throwIfNoEntry: false })?.size;
  const positions: number[] = [];
  for await (const batch of log.read()) {
    for (const { position, payload } of batch) {
      expect(payload.every((byte) => byte === position)).toBe(true);
      positions.push(position);
    }
  }
  const { next, damage } = log;
  await log.append([Buffer.from('more')]);
  const after: string[] = [];
  for await (const batch of log.read({ from: next })) after.push(...batch.map(({ payload }) => payload.toString()));
  expect(after).toEqual(['more']);
  await log.close();
  const reopened = await SegmentLog.open(folder, { onDamage: (damage) => said.push(damage) });
  expect(reopened.next).toBe(next + 1);
  await reopened.close();
  rmSync(folder, { recursive: true });
  return { positions, said, path, next, damage, sizeAfter };
}

/** Records from `lostFrom` up to and without `lostTo` are gone, and no others. */
function expectLoss(found: Awaited<ReturnType<typeof readDamaged>>, lostFrom: number, lostTo: number): void {
  const kept = Array.from({ length: RECORDS }, (_, i) => i).filter((i) => i < lostFrom || i >= lostTo);
  expect(found.positions).toEqual(kept);
  // A tail that is cut takes its positions along.
  const isTail = lostTo === RECORDS;
  expect(found.next).toBe(isTail ? lostFrom : RECORDS);
  expect(found.damage.lostRecords).toBe(isTail ? 0 : lostTo - lostFrom);
}

/** Parts of a whole, evenly: `fc.double` would mean the first byte nearly always. */
const part = () => fc.nat(9_999).map((number) => number / 10_000);

describe('damage', () => {
  it('by a cut at any byte costs the records behind it in that file, and is said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(names.length - 1), part(), async (index, part) => {
        let size = 0;
        const found = await readDamaged(index, (path) => {
          size = Math.floor(statSync(path).size * part);
          truncateSync(path, size);
        });
        const good = (ends[index] ?? []).filter((end) => end <= size).length;
        const isLast = index === names.length - 1;
        expectLoss(found, firstOf(index) + good, isLast ? RECORDS : firstOf(index + 1));
        const boundary =
          good === 0 ? (size < SEGMENT_HEADER_BYTES ? 0 : SEGMENT_HEADER_BYTES) : (ends[index]?.[good - 1] ?? 0);
        if (isLast) expect([found.damage.cutBytes, found.sizeAfter]).toEqual([size - boundary, boundary]);
        const torn = found.said.filter(({ cutBytes }) => cutBytes > 0);
        expect(torn.map(({ file, offset }) => [file, offset])).toEqual(
          isLast && size > boundary ? [[found.path, boundary]] : [],
        );
      }),
      { numRuns: 120 },
    );
  });

  it('by any flipped bit costs that record and no other, and is said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(names.length - 1), part(), fc.nat(7), async (index, place, bit) => {
        let at = 0;
        const found = await readDamaged(index, (path) => {
          const bytes = readFileSync(path);
          at = Math.floor(bytes.length * place);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
          writeFileSync(path, bytes);
        });
        const all = ends[index] ?? [];
        // Records do not need the header: their file's name says where it begins.
        const isHeader = at < SEGMENT_HEADER_BYTES;
        const good = isHeader ? all.length : all.filter((end) => end <= at).length;
        const lost = firstOf(index) + good;
        expectLoss(found, lost, isHeader ? lost : lost + 1);
        const offset = isHeader ? 0 : (all[good - 1] ?? SEGMENT_HEADER_BYTES);
        expect(found.said[0]).toMatchObject({
          file: found.path,
          offset,
          error: { code: 'HO_STORE_DAMAGED', message: expect.stringContaining(found.path) },
        });
        const isTail = lost === RECORDS - 1;
        expect(found.damage.skippedBytes).toBe(isHeader || isTail ? 0 : (all[good] ?? 0) - offset);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['checksum', 0],
    ['length', 4],
    ['high byte of the length', 7],
    ['time', 8],
    ['payload', 14],
    ['end of the payload', 40],
  ])('of each part of a frame costs that record alone: the %s', async (_, within) => {
    for (const index of names.keys()) {
      const found = await readDamaged(index, (path) => {
        const bytes = readFileSync(path);
        const at = (ends[index]?.[1] ?? SEGMENT_HEADER_BYTES) + within;
        if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
        writeFileSync(path, bytes);
      });
      const lost = firstOf(index) + ((ends[index]?.length ?? 0) > 2 ? 2 : RECORDS);
      if (lost < RECORDS) expectLoss(found, lost, lost + 1);
    }
  });

  it('of any number of bytes anywhere costs what it touches, and no record is made up', async () => {
    const places = fc.array(fc.tuple(part(), fc.uint8Array({ minLength: 1, maxLength: 60 })), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(names.length - 1), places, async (index, overwritten) => {
        const touched = new Set<number>();
        const found = await readDamaged(index, (path) => {
          const bytes = readFileSync(path);
          const before = Buffer.from(bytes);
          for (const [place, garbage] of overwritten) {
            const at = SEGMENT_HEADER_BYTES + Math.floor((bytes.length - SEGMENT_HEADER_BYTES) * place);
            bytes.set(garbage.subarray(0, bytes.length - at), at);
          }
          const all = ends[index] ?? [];
          for (let at = 0; at < bytes.length; at++)
            if (bytes[at] !== before[at]) touched.add(firstOf(index) + all.filter((end) => end <= at).length);
          writeFileSync(path, bytes);
        });
        const kept = Array.from({ length: RECORDS }, (_, i) => i).filter((i) => !touched.has(i));
        expect(found.positions).toEqual(kept);
        const inFile = found.positions.filter((i) => i >= firstOf(index) && i < firstOf(index + 1)).at(-1) ?? -1;
        const isLast = index === names.length - 1;
        const inside = [...touched].filter((i) => !isLast || i < inFile);
        expect(found.damage.lostRecords).toBe(inside.length);
      }),
      { numRuns: 200 },
    );
  });

  it('in the newest segment of many bytes is read over, also far behind it', async () => {
    const folder = mkdtempSync(join(top, 'far-'));
    const log = await SegmentLog.open(folder, { sync: 'never' });
    const payloads = Array.from({ length: 30_000 }, (_, i) =>
      Buffer.from(`{"number":${i},"text":"${'x'.repeat(90)}"}`),
    );
    await log.append(payloads);
    await log.close();
    const path = join(folder, '0000000000000000.seg');
    const bytes = readFileSync(path);
    const { length } = bytes;
    // Of what was there, of zeros as after a power failure, and of noise.
    bytes.fill(0, 100_000, 900_000);
    for (let i = 1_000_000; i < 2_000_000; i++) bytes[i] = (i * 2_654_435_761) >>> 24;
    writeFileSync(path, bytes);
    const said: Damage[] = [];
    const again = await SegmentLog.open(folder, { onDamage: (damage) => said.push(damage) });
    expect([again.next, again.size]).toEqual([30_000, length]);
    expect(again.gap).toBe(said[0]?.position);
    let read = 0;
    for await (const batch of again.read()) {
      for (const { position, payload } of batch) expect(payload.toString()).toBe(payloads[position]?.toString());
      read += batch.length;
    }
    // Read twice, at the open and just now: counted and told once.
    expect(said.map(({ records }) => records ?? 0).reduce((sum, lost) => sum + lost, 0)).toBe(30_000 - read);
    expect(again.damage.lostRecords).toBe(30_000 - read);
    expect(again.damage.skippedBytes).toBeGreaterThan(1_799_000);
    expect(again.damage.skippedBytes).toBeLessThan(1_801_000);
    await again.close();
  });

  it('is counted and read over also if telling of it fails', async () => {
    const folder = mkdtempSync(join(top, 'told-'));
    cpSync(whole, folder, { recursive: true });
    truncateSync(join(folder, names[0] ?? ''), 40);
    const onDamage = () => {
      throw new Error('of the listener');
    };
    const log = await SegmentLog.open(folder, { onDamage });
    let read = 0;
    for await (const batch of log.read()) read += batch.length;
    expect(read).toBe(RECORDS - log.damage.lostRecords);
    expect(log.damage.lostRecords).toBeGreaterThan(0);
    await log.close();
  });

  it('by a missing file costs its records', async () => {
    const found = await readDamaged(1, (path) => rmSync(path));
    expect(found.positions).not.toContain(firstOf(1));
    expect(found.positions).toContain(firstOf(2));
    expect(found.damage.lostRecords).toBe(firstOf(2) - firstOf(1));
  });

  it('in the segment that is written to costs one record; all others are read, also new ones', async () => {
    const folder = mkdtempSync(join(top, 'active-'));
    const said: Damage[] = [];
    const log = await SegmentLog.open(folder, { sync: 'never', onDamage: (damage) => said.push(damage) });
    await log.append([Buffer.from('a'), Buffer.from('b'), Buffer.from('c')]);
    const path = join(folder, '0000000000000000.seg');
    const bytes = readFileSync(path);
    bytes[SEGMENT_HEADER_BYTES + 15 + 14] = 0;
    writeFileSync(path, bytes);
    const reading = log.read({ follow: true });
    const next = async () => ((await reading.next()).value ?? []).map(({ payload }) => payload.toString());
    expect(await next()).toEqual(['a']);
    expect(await next()).toEqual(['c']);
    const following = next();
    await log.append([Buffer.from('d')]);
    expect(await following).toEqual(['d']);
    expect(said.map(({ position, records }) => [position, records])).toEqual([[1, 1]]);
    await reading.return();
    await log.close();
  });

  it('is also what the disk does not read any more', async () => {
    const log = await SegmentLog.open(mkdtempSync(join(top, 'unread-')), {
      sync: 'never',
      segmentBytes: 100,
      onDamage: () => undefined,
    });
    for (let i = 0; i < 4; i++) await log.append([Buffer.alloc(60, i)]);
    const handle = await open(top, 'r');
    await handle.close();
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    const reading = log.read({ from: 1 });
    await reading.next();
    const { read } = handles;
    let calls = 0;
    // The second read of a file: the first is its header.
    vi.spyOn(handles, 'read').mockImplementation(function (this: FileHandle, ...options: unknown[]) {
      calls++;
      if (calls === 2) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return Reflect.apply(read, this, options) as never;
    });
    expect((await reading.next()).value?.map(({ position }) => position)).toEqual([3]);
    vi.restoreAllMocks();
    expect(log.damage.lostRecords).toBe(1);
    await log.close();
  });

  it('is not what a newer version wrote: it is left alone', async () => {
    const folder = mkdtempSync(join(top, 'newer-'));
    const path = join(folder, '0000000000000000.seg');
    writeFileSync(path, Buffer.concat([encodeSegmentHeader(0, 2), Buffer.from('what is known later')]));
    await expect(SegmentLog.open(folder)).rejects.toMatchObject({ code: 'HO_STORE_FAILED' });
    expect(readFileSync(path).toString()).toContain('what is known later');
    // The lock was given back.
    rmSync(path);
    await (await SegmentLog.open(folder)).close();
  });
});
