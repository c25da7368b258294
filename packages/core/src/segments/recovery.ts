import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ObserverError } from '../errors.js';
import { type Damage, damagedHeader, tornTail } from './damage.js';
import { SEGMENT_HEADER_BYTES } from './segment-header.js';
import { type Segment, SegmentList } from './segment-list.js';
import { firstPosition } from './segment-name.js';
import { SegmentReader } from './segment-reader.js';

/**
 * What is in the folder of a log. Only the last segment can be torn by a crash: it is read, and cut behind its last good
 * record. The others are taken at their names.
 */
export async function recoverSegments(folder: string, onDamage: (damage: Damage) => void): Promise<SegmentList> {
  const segments: Segment[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const first = firstPosition(name);
    if (first !== undefined) segments.push(await look(join(folder, name), first));
  }
  const last = segments.at(-1);
  if (last === undefined) return new SegmentList([], { position: 0, bytes: 0 });
  return new SegmentList(segments, { position: await recoverTail(last, onDamage), bytes: last.bytes });
}

/** A file's own time is that of its newest record. One that lies ahead, of a clock that was set back, is now. */
async function look(path: string, first: number): Promise<Segment> {
  const { size, mtimeMs } = await stat(path);
  return { path, first, bytes: size, newestAt: performance.now() - Math.max(0, Date.now() - mtimeMs) };
}

/** @returns the position behind the last good record. */
async function recoverTail(segment: Segment, onDamage: (damage: Damage) => void): Promise<number> {
  const { path, first } = segment;
  const reader = await SegmentReader.open(path, first);
  try {
    if (reader.headerFault === 'newer') {
      const text = `${path} was written by a newer version. Use that one, or another folder.`;
      throw new ObserverError('HO_STORE_FAILED', text);
    }
    while ((await reader.read(Number.POSITIVE_INFINITY, segment.bytes)).length > 0);
    // Half a header is the file of a segment that was just begun.
    const good = segment.bytes < SEGMENT_HEADER_BYTES ? 0 : reader.offset;
    if (segment.bytes > good) onDamage(tornTail(path, good, reader.position, segment.bytes - good));
    else if (reader.headerFault !== undefined && good > 0) onDamage(damagedHeader(path, first, reader.headerFault));
    await settle(segment, good);
    return reader.position;
  } finally {
    await reader.close();
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
