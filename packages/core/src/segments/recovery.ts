import { open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ObserverError } from '../errors.js';
import { type Damage, damagedHeader, lostRecords, tornTail } from './damage.js';
import { SEGMENT_HEADER_BYTES } from './segment-header.js';
import { type Segment, SegmentList } from './segment-list.js';
import { firstPosition } from './segment-name.js';
import { SegmentReader } from './segment-reader.js';
import { AGAIN } from './unsynced-segments.js';

/** What an open finds. */
export interface Recovered {
  readonly list: SegmentList;
  /** Position of the first record that is missing in the last segment, with good ones behind it. */
  readonly gap: number | undefined;
}

/**
 * What is in the folder of a log. Only the last segment can be torn by a crash: it is read, and cut behind its last good
 * record. The others are taken at their names.
 */
export async function recoverSegments(folder: string, onDamage: (damage: Damage) => void): Promise<Recovered> {
  const segments: Segment[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const first = firstPosition(name);
    // Left by a crash; the file that it was to replace is still there.
    if (name.endsWith(AGAIN)) await unlink(join(folder, name)).catch(() => undefined);
    if (first !== undefined) segments.push(await look(join(folder, name), first));
  }
  const last = segments.at(-1);
  if (last === undefined) return { list: new SegmentList([], { position: 0, bytes: 0 }), gap: undefined };
  const { position, gap } = await recoverTail(last, onDamage);
  return { list: new SegmentList(segments, { position, bytes: last.bytes }), gap };
}

/** A file's own time is that of its newest record. One that lies ahead, of a clock that was set back, is now. */
async function look(path: string, first: number): Promise<Segment> {
  const { size, mtimeMs } = await stat(path);
  return { path, first, bytes: size, newestAt: performance.now() - Math.max(0, Date.now() - mtimeMs) };
}

/** @returns the position behind the last good record, and that of the first one that is missing before it. */
async function recoverTail(segment: Segment, onDamage: (damage: Damage) => void) {
  const { path, first, bytes } = segment;
  const reader = await SegmentReader.open(path, first);
  try {
    if (reader.headerFault === 'newer') {
      const text = `${path} was written by a newer version. Use that one, or another folder.`;
      throw new ObserverError('HO_STORE_FAILED', text);
    }
    const gap = await readToEnd(reader, bytes, onDamage);
    // Half a header is the file of a segment that was just begun.
    const good = bytes < SEGMENT_HEADER_BYTES ? 0 : reader.offset;
    if (bytes > good) onDamage(tornTail(path, good, reader.position, bytes - good));
    else if (reader.headerFault !== undefined && good > 0) onDamage(damagedHeader(path, first, reader.headerFault));
    await settle(segment, good);
    return { position: reader.position, gap };
  } finally {
    await reader.close();
  }
}

/** Reads to the last good record, over damage that has good ones behind it. Returns the first position that is missing. */
async function readToEnd(
  reader: SegmentReader,
  bytes: number,
  onDamage: (damage: Damage) => void,
): Promise<number | undefined> {
  let gap: number | undefined;
  for (;;) {
    while ((await reader.read(Number.POSITIVE_INFINITY, bytes)).length > 0);
    const found = await reader.next(Number.POSITIVE_INFINITY, bytes);
    if (found === undefined) return gap;
    const { path, offset, position } = reader;
    gap ??= position;
    onDamage(lostRecords(path, offset, position, found.position - position, found.offset));
    reader.jump(found.position, found.offset);
  }
}

/** Cuts the file, and makes sure of what a killed process had written and not synced: readers are about to see it. */
async function settle(segment: Segment, bytes: number): Promise<void> {
  const handle = await open(segment.path, 'r+');
  try {
    if (segment.bytes > bytes) await handle.truncate(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  segment.bytes = bytes;
}

/**
 * After the folder was made again: the segments that are known and not there have no bytes. One that is not known, or is
 * not as long as it was left, is of another log.
 */
export async function lookAgain(folder: string, list: SegmentList): Promise<void> {
  const sizes = new Map<string, number>();
  for (const name of await readdir(folder)) {
    if (firstPosition(name) !== undefined) sizes.set(join(folder, name), (await stat(join(folder, name))).size);
  }
  const known = new Map(list.all.map(({ path, bytes }) => [path, bytes]));
  for (const [path, size] of sizes) {
    if (known.get(path) === size) continue;
    const text = `${folder} was replaced by another log, which has ${path}. Start the process again to go on with it.`;
    throw new ObserverError('HO_STORE_GONE', text);
  }
  for (const segment of list.all) if (!sizes.has(segment.path)) segment.bytes = 0;
}
