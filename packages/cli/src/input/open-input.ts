import { type BigIntStats, fstat as fstatCallback } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { InputReport } from './input-report.js';
import { checkEncoding, type Expected, START_BYTES, suspicionOf } from './input-start.js';

const CHUNK_BYTES = 256 * 1024;
const STDIN = 0;
const fstat = promisify(fstatCallback) as (fd: number, options: { bigint: true }) => Promise<BigIntStats>;

/** An input that could be opened. It is read once, so a pipe will do. */
export class OpenInput {
  readonly path: string;
  readonly #handle: FileHandle | undefined;

  /** `handle` is `undefined` for standard input. */
  constructor(path: string, handle: FileHandle | undefined) {
    this.path = path;
    this.#handle = handle;
  }

  /**
   * Its bytes, piece by piece. What is suspicious about their start is told to `report`.
   * @throws what the file system says, and ObserverError `HO_INPUT_UNREADABLE` for what is no text.
   */
  async *chunks(report: InputReport, expected: Expected): AsyncGenerator<Uint8Array, void, undefined> {
    const source = this.#handle?.createReadStream({ highWaterMark: CHUNK_BYTES }) ?? process.stdin;
    let isFirst = true;
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      if (isFirst) {
        isFirst = false;
        checkEncoding(chunk);
        const suspicion = suspicionOf(chunk, expected);
        if (suspicion !== undefined) report.suspect(this.path, suspicion);
      }
      yield chunk;
    }
  }

  /** For an input that is not read after all. */
  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

/** Opens an input; `-` is standard input. `undefined` if that fails, which `report` is told. */
export async function openInput(path: string, report: InputReport): Promise<OpenInput | undefined> {
  let handle: FileHandle | undefined;
  try {
    if (path === '-') await checkFile(await fstat(STDIN, { bigint: true }));
    else {
      handle = await open(path, 'r');
      await checkFile(await handle.stat({ bigint: true }), handle);
    }
    return new OpenInput(path, handle);
  } catch (error) {
    await handle?.close();
    report.unreadable(path, error);
    return undefined;
  }
}

/** @throws where reading is bound to fail. The start of a file is looked at without moving on in it. */
async function checkFile(stats: BigIntStats, handle?: FileHandle): Promise<void> {
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (handle === undefined || !stats.isFile()) return;
  const start = Buffer.alloc(START_BYTES);
  const { bytesRead } = await handle.read(start, 0, START_BYTES, 0);
  checkEncoding(start.subarray(0, bytesRead));
}

/** Opens inputs, in order. Those that cannot be opened are told to `report` and left out. */
export async function openInputs(paths: readonly string[], report: InputReport): Promise<OpenInput[]> {
  const inputs: OpenInput[] = [];
  for (const path of paths) {
    const input = await openInput(path, report);
    if (input !== undefined) inputs.push(input);
  }
  return inputs;
}
