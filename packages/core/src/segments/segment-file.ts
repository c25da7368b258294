import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './folder.js';
import { isSameFile } from './same-file.js';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES } from './segment-header.js';
import { segmentName } from './segment-name.js';

/** The segment that is written to. It is used by one writer, one call at a time. */
export class SegmentFile {
  readonly path: string;
  readonly first: number;
  /** On the clock of `performance.now()`, which nobody sets back. */
  readonly createdAt = performance.now();
  readonly #handle: FileHandle;
  #bytes = 0;
  #records = 0;
  /** A half-written record could not be cut off: nothing may follow it in this file. */
  #torn = false;

  private constructor(path: string, first: number, handle: FileHandle) {
    this.path = path;
    this.first = first;
    this.#handle = handle;
  }

  /**
   * Makes the segment whose first record will be `first`. A file of that name holds no record, since that position was
   * never given away, and is written anew. The header is written with the first record: on a full disk, an empty file can
   * still be made, so that the full ones before it can be deleted. If this fails, the file may stay: its name is right.
   */
  static async create(folder: string, first: number): Promise<SegmentFile> {
    const path = join(folder, segmentName(first));
    const handle = await open(path, 'w', 0o600);
    try {
      await syncFolder(folder);
      return new SegmentFile(path, first, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  get records(): number {
    return this.#records;
  }

  get isTorn(): boolean {
    return this.#torn;
  }

  /**
   * Writes all of it, or cuts off what was written and throws.
   * @param bytes length of all parts. @param records how many are in them.
   */
  async write(parts: readonly Uint8Array[], bytes: number, records: number): Promise<void> {
    const isFirst = this.#bytes === 0;
    try {
      await writeWhole(this.#handle, isFirst ? [encodeSegmentHeader(this.first), ...parts] : parts, this.#bytes);
      this.#bytes += isFirst ? SEGMENT_HEADER_BYTES + bytes : bytes;
      this.#records += records;
    } catch (error) {
      await this.cut(this.#bytes);
      throw error;
    }
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  /** False when the file was deleted or moved: what is written to it is found by nobody. */
  isInPlace(): Promise<boolean> {
    return isSameFile(this.path, this.#handle);
  }

  async cut(bytes: number): Promise<void> {
    try {
      await this.#handle.truncate(bytes);
      this.#bytes = bytes;
    } catch {
      // Readers end where the next segment begins, and an open of the folder cuts what is no record.
      this.#torn = true;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** A write may take a part only: of a disk that is nearly full, or at the limit of one call. */
async function writeWhole(handle: FileHandle, parts: readonly Uint8Array[], offset: number): Promise<void> {
  let rest = parts;
  let at = offset;
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev([...rest], at);
    // Not said by any file system known, but it would be a loop without an end.
    if (bytesWritten === 0) throw new Error('nothing was written');
    at += bytesWritten;
    rest = after(rest, bytesWritten);
  }
}

function after(parts: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  for (const [i, part] of parts.entries()) {
    if (left < part.length) return [part.subarray(left), ...parts.slice(i + 1)];
    left -= part.length;
  }
  return [];
}
