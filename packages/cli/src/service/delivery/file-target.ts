import { type FileHandle, open } from 'node:fs/promises';
import type { Sent, SpanTarget } from '@hermes-observer/otel';

const NEWLINE = 10;

/** Appends requests to a file of OTLP/JSON lines, each synced before it counts as taken. */
export class FileTarget implements SpanTarget {
  readonly place: string;
  #file: FileHandle | undefined;
  /** Bytes of whole lines; what is behind them is cut off. */
  #size = 0;

  constructor(path: string) {
    this.place = path;
  }

  async send(body: Uint8Array): Promise<Sent> {
    try {
      this.#file ??= await this.#open();
      await this.#file.truncate(this.#size);
      const line = Buffer.concat([body, Buffer.of(NEWLINE)]);
      await this.#file.write(line, 0, line.length, this.#size);
      await this.#file.datasync();
      this.#size += line.length;
      return { kind: 'taken', rejected: 0, message: '' };
    } catch (error) {
      await this.close().catch(() => undefined);
      return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** A line that was cut short by a crash is sent again, so what is left of it goes. */
  async #open(): Promise<FileHandle> {
    const file = await open(this.place, 'a+', 0o600).then(async (handle) => {
      await handle.close();
      return await open(this.place, 'r+');
    });
    const { size } = await file.stat();
    this.#size = await endOfLines(file, size);
    return file;
  }
}

/** Where the last whole line of a file ends. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; end -= chunk.length) {
    const start = Math.max(0, end - chunk.length);
    await file.read(chunk, 0, end - start, start);
    const at = chunk.subarray(0, end - start).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}
