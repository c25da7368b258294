import { open, unlink } from 'node:fs/promises';
import type { Damage } from './damage.js';
import { lostRecords } from './damage.js';
import { FrameEncoder } from './frame.js';
import { encodeSegmentHeader } from './segment-header.js';
import type { Segment } from './segment-list.js';
import { SegmentReader, type StoredRecord } from './segment-reader.js';
import { AGAIN } from './unsynced-segments.js';

/** What an erasure did. */
export interface Erased {
  readonly erased: number;
  /** No record that was asked for is left. */
  readonly isWhole: boolean;
}

/** A segment that was written to another file. */
export interface Copy {
  readonly path: string;
  readonly bytes: number;
  /** Records that have no payload any more. */
  readonly erased: number;
}

const EMPTY = Buffer.alloc(0);

/**
 * Writes a segment that has ended to a new file beside it, synced, in which some records have no payload. Positions and times
 * stay. What damage had taken is empty too: nobody could read it, and what is in it may be what is to go.
 * @param end position where the next segment begins
 * @param ranges first position and count in turn, rising
 */
export async function copyErased(
  { path, first, bytes }: Segment,
  end: number,
  ranges: readonly number[],
  onDamage: (damage: Damage) => void,
): Promise<Copy> {
  const copy = `${path}.erased${AGAIN}`;
  const from = await SegmentReader.open(path, first);
  try {
    if (from.headerFault === 'newer') throw new Error(`${path} was written by a newer version`);
    const to = await open(copy, 'w', 0o600);
    let size = 0;
    let erased = 0;
    const write = async (part: Uint8Array) => {
      for (let at = 0; at < part.length; ) at += (await to.write(part, at, part.length - at, size + at)).bytesWritten;
      size += part.length;
    };
    try {
      const frames = new FrameEncoder();
      const isErased = membership(ranges);
      if (bytes > 0) await write(encodeSegmentHeader(first));
      for await (const batch of wholeSegment(from, end, bytes, onDamage)) {
        const parts: Uint8Array[] = [];
        for (let i = 0; i < batch.length; ) {
          const { position, time } = batch[i] as StoredRecord;
          const payloads: Uint8Array[] = [];
          // Frames of one moment are encoded together.
          for (; i < batch.length && batch[i]?.time === time; i++) {
            const { position: at, payload } = batch[i] as StoredRecord;
            const goes = isErased(at) && payload.length > 0;
            if (goes) erased++;
            payloads.push(goes ? EMPTY : payload);
          }
          // What the encoder gives is good until its next call.
          parts.push(Buffer.concat(frames.encode(payloads, position, time)));
        }
        await write(Buffer.concat(parts));
      }
      // The age of a segment is that of its file.
      const { atime, mtime } = await from.times();
      await to.utimes(atime, mtime);
      await to.sync();
    } finally {
      await to.close();
    }
    return { path: copy, bytes: size, erased };
  } catch (error) {
    await unlink(copy).catch(() => undefined);
    throw error;
  } finally {
    await from.close();
  }
}

/** All records of a segment, in batches; those that are lost have no payload. */
async function* wholeSegment(
  reader: SegmentReader,
  end: number,
  bytes: number,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<readonly StoredRecord[], void, void> {
  let time = 0;
  while (reader.position < end) {
    const records = await reader.read(end, bytes);
    time = records.at(-1)?.time ?? time;
    if (records.length > 0) {
      yield records;
      continue;
    }
    const { path, offset, position } = reader;
    const found = (await reader.next(end, bytes)) ?? { position: end, offset: bytes };
    onDamage(lostRecords(path, offset, position, found.position - position, found.offset));
    for (let at = position; at < found.position; at++) yield [{ position: at, time, payload: EMPTY }];
    reader.jump(found.position, found.offset);
  }
}

/** Whether a position is in ranges; to be asked in rising order. */
function membership(ranges: readonly number[]): (position: number) => boolean {
  let i = 0;
  return (position) => {
    while (i < ranges.length && (ranges[i] as number) + (ranges[i + 1] as number) <= position) i += 2;
    return i < ranges.length && (ranges[i] as number) <= position;
  };
}

/** Whether ranges have a position from `first` on and before `end`. */
export function touches(ranges: readonly number[], first: number, end: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if ((ranges[i] as number) < end && (ranges[i] as number) + (ranges[i + 1] as number) > first) return true;
  }
  return false;
}
