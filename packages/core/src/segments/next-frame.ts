import type { FileHandle } from 'node:fs/promises';
import { FRAME_HEADER_BYTES, frameLength, frameTime, isIntact } from './frame.js';
import { positionOf } from './position-of.js';
import { readAt } from './read-at.js';

/** A place in a segment, and the record that begins there. */
export interface Place {
  readonly offset: number;
  readonly position: number;
}

const CHUNK_BYTES = 256 * 1024;
/** The year 2103, in Unix milliseconds: a later time is no time. */
const LATEST_TIME = 4.2e12;
/** Up to so many records further on, a checksum that fits by chance is one in a million; beyond, a second frame must fit. */
const NEAR_RECORDS = 4_096;
/** Payloads that look like frames at every byte must not cost minutes. */
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;

/**
 * The first good frame behind damage. A frame proves itself and its position by its checksum, whatever is before it, so
 * every byte is tried.
 * @param damaged where good frames end. @param end what lies at or behind it is none of these records.
 * @returns `undefined` if there is none.
 */
export async function nextFrame(handle: FileHandle, damaged: Place, end: Place): Promise<Place | undefined> {
  let left = MOST_CHECKED_BYTES;
  for (let start = damaged.offset + 1; start + FRAME_HEADER_BYTES <= end.offset; start += CHUNK_BYTES) {
    const wanted = Math.min(CHUNK_BYTES + FRAME_HEADER_BYTES - 1, end.offset - start);
    const chunk = await readOrNothing(handle, start, wanted);
    for (let i = 0; i + FRAME_HEADER_BYTES <= chunk.length; i++) {
      const length = frameLength(chunk, i);
      if (length === undefined || start + i + length > end.offset || frameTime(chunk, i) > LATEST_TIME) continue;
      left -= length;
      if (left < 0) return undefined;
      const frame = i + length <= chunk.length ? chunk.subarray(i) : await readOrNothing(handle, start + i, length);
      if (frame.length < length) continue;
      const position = likely(positionOf(frame, 0, length), start + i, damaged, end);
      if (position === undefined) continue;
      const found = { offset: start + i, position };
      const isNear = position - damaged.position <= NEAR_RECORDS;
      if (isNear || (await isFollowed(handle, { offset: found.offset + length, position: position + 1 }, end))) {
        return found;
      }
    }
  }
  return undefined;
}

/** The position of a frame that was solved for, if so many records can lie between. */
function likely(low: number, offset: number, damaged: Place, end: Place): number | undefined {
  const further = (low - (damaged.position >>> 0)) >>> 0;
  const most = Math.floor((offset - damaged.offset) / FRAME_HEADER_BYTES);
  const position = damaged.position + further;
  return further >= 1 && further <= most && position < end.position ? position : undefined;
}

async function isFollowed(handle: FileHandle, { offset, position }: Place, end: Place): Promise<boolean> {
  if (offset === end.offset) return true;
  const header = await readOrNothing(handle, offset, FRAME_HEADER_BYTES);
  const length = header.length < FRAME_HEADER_BYTES ? undefined : frameLength(header, 0);
  if (length === undefined || offset + length > end.offset) return false;
  const frame = await readOrNothing(handle, offset, length);
  return frame.length === length && isIntact(frame, 0, length, position);
}

/** What the disk does not read is searched no further than what is damaged. */
async function readOrNothing(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  try {
    return await readAt(handle, offset, length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EIO') return Buffer.alloc(0);
    throw error;
  }
}
