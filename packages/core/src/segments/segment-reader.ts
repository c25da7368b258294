import { type FileHandle, open } from 'node:fs/promises';
import { FRAME_HEADER_BYTES, frameLength, frameTime, isIntact } from './frame.js';
import { nextFrame, type Place } from './next-frame.js';
import { readAt } from './read-at.js';
import { headerFault, SEGMENT_HEADER_BYTES } from './segment-header.js';

/** A record as it is read. */
export interface StoredRecord {
  /** Its number in the log, from 0: the next record has the next number. A cursor is the number to go on with. */
  readonly position: number;
  /** When it was appended: Unix milliseconds, by the clock of that moment. A clock set back makes it fall. */
  readonly time: number;
  /** A view of memory that nothing writes to again. Records of a batch share it. */
  readonly payload: Buffer;
}

const CHUNK_BYTES = 256 * 1024;

/** Reads the records of one segment in order, up to the first that is damaged; who reads says where to go on. */
export class SegmentReader {
  readonly path: string;
  readonly first: number;
  readonly headerFault: 'damaged' | 'newer' | undefined;
  readonly #handle: FileHandle;
  #position: number;
  #offset = SEGMENT_HEADER_BYTES;

  private constructor(path: string, first: number, handle: FileHandle, fault: 'damaged' | 'newer' | undefined) {
    this.path = path;
    this.first = first;
    this.headerFault = fault;
    this.#handle = handle;
    this.#position = first;
  }

  static async open(path: string, first: number): Promise<SegmentReader> {
    const handle = await open(path, 'r');
    try {
      const header = await readAt(handle, 0, SEGMENT_HEADER_BYTES);
      return new SegmentReader(path, first, handle, headerFault(header, first));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Position of the record that is read next. */
  get position(): number {
    return this.#position;
  }

  /** Where in the file it begins: all before is good. */
  get offset(): number {
    return this.#offset;
  }

  /** Goes on behind damage, where a record is known to begin. */
  jump(position: number, offset: number): void {
    this.#position = position;
    this.#offset = offset;
  }

  /**
   * The next records before position `limit`, some 256 KiB of them or one that is larger. An empty list says that there
   * is no good record at `offset`: the file ends there, or what follows is damaged.
   * @param end byte where these records end, as far as is known: less memory is taken for less.
   */
  async read(limit: number, end: number): Promise<StoredRecord[]> {
    const wanted = Math.max(FRAME_HEADER_BYTES, Math.min(CHUNK_BYTES, end - this.#offset));
    let chunk = await readAt(this.#handle, this.#offset, wanted);
    if (chunk.length >= FRAME_HEADER_BYTES) {
      const length = frameLength(chunk, 0) ?? 0;
      if (length > chunk.length) {
        // What a damaged length asks for is not allocated if the file has no such bytes.
        const { size } = await this.#handle.stat();
        if (this.#offset + length > size) return [];
        chunk = await readAt(this.#handle, this.#offset, length);
      }
    }
    return this.#take(chunk, limit);
  }

  /**
   * Where good records begin again, behind the damage at `offset`.
   * @param limit position, and @param end byte, where records of this segment end.
   */
  next(limit: number, end: number): Promise<Place | undefined> {
    const damaged = { offset: this.#offset, position: this.#position };
    return nextFrame(this.#handle, damaged, { offset: end, position: limit });
  }

  /** Bytes of the file now. */
  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /** When the file was read and written last. */
  async times(): Promise<{ readonly atime: Date; readonly mtime: Date }> {
    const { atime, mtime } = await this.#handle.stat();
    return { atime, mtime };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #take(chunk: Buffer, limit: number): StoredRecord[] {
    const records: StoredRecord[] = [];
    let offset = 0;
    while (this.#position < limit && offset + FRAME_HEADER_BYTES <= chunk.length) {
      const length = frameLength(chunk, offset);
      if (length === undefined || offset + length > chunk.length) break;
      if (!isIntact(chunk, offset, length, this.#position)) break;
      const payload = chunk.subarray(offset + FRAME_HEADER_BYTES, offset + length);
      records.push({ position: this.#position, time: frameTime(chunk, offset), payload });
      this.#position++;
      offset += length;
    }
    this.#offset += offset;
    return records;
  }
}
