import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Damage, lostRecords } from './damage.js';
import { firstPosition, segmentName } from './segment-name.js';
import { SegmentReader, type StoredRecord } from './segment-reader.js';
import { storeError } from './store-error.js';

/**
 * Reads the log of a folder as it is now, from its oldest record to its newest, in batches. It takes no lock and changes
 * nothing, so the log may be one that another process writes to; what is at its very end may not be synced yet. Segments
 * that are deleted before it comes to them are left out.
 * @param onDamage told of records that are missing.
 * @throws ObserverError `HO_STORE_FAILED` if the disk cannot be read.
 */
export async function* readSegments(
  folder: string,
  onDamage: (damage: Damage) => void = () => {},
): AsyncGenerator<readonly StoredRecord[], void, void> {
  try {
    const firsts = (await readdir(folder))
      .map(firstPosition)
      .filter((first) => first !== undefined)
      .sort((a, b) => a - b);
    for (const [i, first] of firsts.entries()) {
      const path = join(folder, segmentName(first));
      const reader = await SegmentReader.open(path, first).catch((error: NodeJS.ErrnoException) => {
        // Deleted meanwhile, as history.
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (reader === undefined) continue;
      try {
        yield* readSegment(reader, firsts[i + 1], onDamage);
      } finally {
        await reader.close();
      }
    }
  } catch (cause) {
    throw storeError(`Cannot read the log in ${folder}`, cause);
  }
}

/** @param end position where the next segment begins; without it, what follows the last good record is a tail. */
async function* readSegment(
  reader: SegmentReader,
  end: number | undefined,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<readonly StoredRecord[], void, void> {
  const limit = end ?? Number.POSITIVE_INFINITY;
  const { path } = reader;
  while (reader.position < limit) {
    const size = await reader.size();
    const records = await reader.read(limit, size);
    if (records.length > 0) {
      yield records;
      continue;
    }
    const { offset, position } = reader;
    const found = await reader.next(limit, size);
    if (found === undefined) {
      if (end !== undefined) onDamage(lostRecords(path, offset, position, end - position, size));
      return;
    }
    onDamage(lostRecords(path, offset, position, found.position - position, found.offset));
    reader.jump(found.position, found.offset);
  }
}
