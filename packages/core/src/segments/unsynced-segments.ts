import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './folder.js';
import { readAt } from './read-at.js';
import type { Segment, SegmentList } from './segment-list.js';
import { SegmentReader } from './segment-reader.js';

const CHUNK_BYTES = 1024 * 1024;
/** Added to the name of a segment while it is written again. */
export const AGAIN = '.again';

/** Segments that are not written to any more, with records that were acknowledged without a sync (policy `never`). */
export class UnsyncedSegments {
  readonly #list: SegmentList;
  /** Those for which a sync has failed are `true`: another sync of the same file would succeed and prove nothing. */
  readonly #segments = new Map<Segment, boolean>();

  constructor(list: SegmentList) {
    this.#list = list;
  }

  add(segment: Segment, isSuspect: boolean): void {
    for (const known of this.#segments.keys()) if (!this.#list.all.includes(known)) this.#segments.delete(known);
    this.#segments.set(segment, isSuspect);
  }

  /**
   * Makes all of them durable: by a sync, or, where that had failed, by writing them to a new file.
   * @throws Error of the file system, or of a file that is not what was written to it; it is tried again next time.
   */
  async sync(): Promise<void> {
    for (const [segment, isSuspect] of [...this.#segments]) {
      try {
        if (isSuspect) await writeAgain(segment);
        else await syncFile(segment.path);
      } catch (error) {
        // Deleted, or lost: there is nothing left to keep.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
          this.#segments.set(segment, true);
          throw error;
        }
      }
      this.#segments.delete(segment);
    }
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** What was written can still be read, as long as the kernel has not let go of it: that is made sure of. */
async function writeAgain({ path, first, bytes }: Segment): Promise<void> {
  const copy = `${path}${AGAIN}`;
  const from = await open(path, 'r');
  try {
    const to = await open(copy, 'w', 0o600);
    try {
      for (let at = 0; at < bytes; ) {
        const chunk = await readAt(from, at, Math.min(CHUNK_BYTES, bytes - at));
        if (chunk.length === 0) break;
        for (let written = 0; written < chunk.length; ) {
          written += (await to.write(chunk, written, chunk.length - written, at + written)).bytesWritten;
        }
        at += chunk.length;
      }
      await to.datasync();
    } finally {
      await to.close();
    }
    await checkWhole(copy, first, bytes);
    await rename(copy, path);
  } catch (error) {
    await unlink(copy).catch(() => undefined);
    throw error;
  } finally {
    await from.close();
  }
  await syncFolder(dirname(path));
}

async function checkWhole(path: string, first: number, bytes: number): Promise<void> {
  const reader = await SegmentReader.open(path, first);
  try {
    while ((await reader.read(Number.POSITIVE_INFINITY, bytes)).length > 0);
    if (bytes > 0 && reader.offset !== bytes) throw new Error('what was written to it is not there any more');
  } finally {
    await reader.close();
  }
}
