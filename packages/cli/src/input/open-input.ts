import { type BigIntStats, fstat as fstatCallback } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { InputReport } from './input-report.js';
import { checkEncoding, type Expected, START_BYTES, suspicionOf } from './input-start.js';
import { journalLines, journalOf } from './journal-input.js';

const CHUNK_BYTES = 256 * 1024;
/** Of more inputs than this, regular files are opened for each piece anew: a process may hold a few hundred at once. */
const MOST_KEPT_OPEN = 64;
/** What the pieces of many inputs that are read at once may come to. */
const PIECES_BYTES = 64 * 1024 * 1024;
const SMALLEST_PIECE = 16 * 1024;
const STDIN = 0;
const fstat = promisify(fstatCallback) as (fd: number, options: { bigint: true }) => Promise<BigIntStats>;

/** An input that could be opened. It is read once, so a pipe will do. */
export class OpenInput {
  readonly path: string;
  readonly #handle: FileHandle | undefined;
  readonly #pieceBytes: number;
  /** Folder of a journal, which is read in place of a file. */
  readonly #journal: string | undefined;

  /** `handle` is `undefined` for standard input, and for a file that is opened for each piece of `pieceBytes` anew. */
  constructor(path: string, handle: FileHandle | undefined, pieceBytes = CHUNK_BYTES, journal?: string) {
    this.path = path;
    this.#handle = handle;
    this.#pieceBytes = pieceBytes;
    this.#journal = journal;
  }

  /**
   * Its bytes, piece by piece. What is suspicious about their start is told to `report`.
   * @throws what the file system says, and ObserverError `HO_INPUT_UNREADABLE` for what is no text.
   */
  async *chunks(report: InputReport, expected: Expected): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#journal !== undefined) {
      yield* journalLines(this.#journal, this.path, report);
      return;
    }
    const source =
      this.#handle?.createReadStream({ highWaterMark: CHUNK_BYTES }) ??
      (this.path === '-' ? process.stdin : readPieces(this.path, this.#pieceBytes));
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

async function* readPieces(path: string, bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let position = 0; ; ) {
    const piece = Buffer.allocUnsafe(bytes);
    const handle = await open(path, 'r');
    let bytesRead: number;
    try {
      ({ bytesRead } = await handle.read(piece, 0, bytes, position));
    } finally {
      await handle.close();
    }
    if (bytesRead === 0) return;
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Opens an input; `-` is standard input, a folder is the data folder of a service. `undefined` if that fails, which `report` is told. */
export async function openInput(path: string, report: InputReport, inputs = 1): Promise<OpenInput | undefined> {
  let handle: FileHandle | undefined;
  try {
    if (path === '-') await checkFile(await fstat(STDIN, { bigint: true }));
    else {
      handle = await open(path, 'r');
      const stats = await handle.stat({ bigint: true });
      const journal = stats.isDirectory() ? await journalOf(path) : undefined;
      if (journal !== undefined) {
        await handle.close();
        return new OpenInput(path, undefined, CHUNK_BYTES, journal);
      }
      await checkFile(stats, handle);
      if (inputs > MOST_KEPT_OPEN && stats.isFile()) {
        await handle.close();
        return new OpenInput(path, undefined, pieceBytes(inputs));
      }
    }
    return new OpenInput(path, handle);
  } catch (error) {
    await handle?.close();
    report.unreadable(path, error);
    return undefined;
  }
}

const pieceBytes = (inputs: number) =>
  Math.max(SMALLEST_PIECE, Math.min(CHUNK_BYTES, Math.floor(PIECES_BYTES / inputs)));

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
    const input = await openInput(path, report, paths.length);
    if (input !== undefined) inputs.push(input);
  }
  return inputs;
}
