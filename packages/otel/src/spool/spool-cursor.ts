import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const BYTES = 12;

/**
 * How far a spool was delivered, kept beside it after each request and not synced: it outlives the process, not a power
 * failure. A service has it in its checkpoint too, for then.
 */
export class SpoolCursor {
  readonly #path: string;
  #file: FileHandle | undefined;
  #waiting: number | undefined;
  #isWriting = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** 0 if there is none that is whole. */
  async load(): Promise<number> {
    try {
      this.#file = await open(this.#path, 'r+').catch(() => open(this.#path, 'w+', 0o600));
      const bytes = Buffer.alloc(BYTES);
      const { bytesRead } = await this.#file.read(bytes, 0, BYTES, 0);
      const isWhole = bytesRead === BYTES && bytes.readUInt32LE(8) === crc32(bytes.subarray(0, 8));
      return isWhole ? bytes.readDoubleLE(0) : 0;
    } catch {
      return 0;
    }
  }

  /** Writes it, soon: one at a time, the newest one. */
  save(position: number): void {
    this.#waiting = position;
    if (!this.#isWriting) void this.#write();
  }

  /** After its folder was made again: the next cursor goes to a file that is there. */
  async reopen(): Promise<void> {
    await this.close();
    await this.load();
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting !== undefined) {
      const bytes = Buffer.alloc(BYTES);
      bytes.writeDoubleLE(this.#waiting, 0);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
      this.#waiting = undefined;
      // Without it some are sent twice, which backends know how to take.
      await this.#file?.write(bytes, 0, BYTES, 0).catch(() => undefined);
    }
    this.#isWriting = false;
  }
}
