import { unlink } from 'node:fs/promises';
import type { Segment, SegmentList } from './segment-list.js';
import { storeError } from './store-error.js';

export interface RetentionLimits {
  /** The oldest segments are deleted until no more than this is left. The segment that is written to stays. */
  readonly bytes?: number;
  /** Segments whose newest record is older are deleted, in milliseconds. */
  readonly ageMillis?: number;
  /** Segments with a record at or behind this position stay, whatever else is said. */
  readonly before?: number;
}

/** What was deleted: whole segments, the oldest ones. */
export interface Removed {
  readonly segments: number;
  readonly bytes: number;
  /** Records from position `from` up to and without `to`. A consumer at position p has lost `to - max(from, p)`. */
  readonly from: number;
  readonly to: number;
}

/** How many of the oldest segments hold nothing at or behind `position`. */
export function countBelow(list: SegmentList, position: number): number {
  return countWhile(list, (segment) => Math.min(list.endOf(segment), list.durable.position) <= position);
}

/** How many of the oldest segments go beyond a limit. */
export function countBeyond(list: SegmentList, { bytes, ageMillis, before }: RetentionLimits): number {
  const now = performance.now();
  let left = list.bytes;
  return countWhile(list, (segment) => {
    const isTooMuch = bytes !== undefined && left > bytes && segment !== list.all.at(-1);
    const isTooOld = ageMillis !== undefined && now - segment.newestAt > ageMillis;
    left -= segment.bytes;
    if (before !== undefined && Math.min(list.endOf(segment), list.durable.position) > before) return false;
    return isTooMuch || isTooOld;
  });
}

function countWhile(list: SegmentList, test: (segment: Segment) => boolean): number {
  const kept = list.all.findIndex((segment) => !test(segment));
  return kept < 0 ? list.all.length : kept;
}

/** Deletes the oldest segments. The last one of a log stays: its name keeps the position. */
export async function removeOldest(list: SegmentList, count: number): Promise<Removed> {
  const removed = { segments: 0, bytes: 0, from: list.oldest, to: list.oldest };
  for (const segment of list.all.slice(0, Math.min(count, list.all.length - 1))) {
    removed.to = list.endOf(segment);
    try {
      await unlink(segment.path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw storeError(`Cannot delete ${segment.path}`, cause);
    }
    list.remove(segment);
    removed.segments++;
    removed.bytes += segment.bytes;
  }
  return removed;
}
