import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderLock, makeFolder, syncFolder } from '@hermes-observer/core/segments';
import { sha256 } from '../../call/sha256.js';
import { auditFiles, fileName, readAuditFile } from './audit-files.js';
import { AuditHead } from './audit-head.js';
import { type AuditFields, type AuditKey, auditError, type ChainPoint, START, writeLine } from './audit-line.js';

export interface AuditWriterOptions {
  readonly folder: string;
  /** Where the head is. */
  readonly head: string;
  readonly key: AuditKey;
  /** A further file begins at this size. */
  readonly maxBytes: number;
  readonly onWarning: (text: string) => void;
}

const MOST_WAITING = 10_000;

interface Waiting {
  readonly fields: AuditFields;
  readonly at: Date;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Appends entries, each on disk before it counts. One process at a time has a folder. */
export class AuditWriter {
  readonly #options: AuditWriterOptions;
  readonly #lock: FolderLock;
  readonly #head: AuditHead;
  #file: FileHandle;
  #number: number;
  #bytes: number;
  #point: ChainPoint;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isTorn = false;
  #isClosed = false;

  private constructor(options: AuditWriterOptions, lock: FolderLock, head: AuditHead, state: OpenState) {
    this.#options = options;
    this.#lock = lock;
    this.#head = head;
    this.#file = state.file;
    this.#number = state.number;
    this.#bytes = state.bytes;
    this.#point = state.point;
  }

  /** @throws ObserverError `HO_POLICY_AUDIT`: another process has it, the disk refuses, or what is there is not whole. */
  static async open(options: AuditWriterOptions): Promise<AuditWriter> {
    let lock: FolderLock | undefined;
    try {
      await makeFolder(options.folder);
      lock = await FolderLock.take(options.folder);
      const { head, state, cut } = await openState(options);
      const writer = new AuditWriter(options, lock, head, state);
      if (cut !== undefined) {
        options.onWarning(
          `The end of the audit log in ${options.folder} was torn: ${cut.bytes} bytes of an entry that was never finished were cut.`,
        );
        await writer.append({ kind: 'repaired', cut_bytes: cut.bytes, cut_sha256: cut.sha256 });
      }
      return writer;
    } catch (cause) {
      await lock?.release();
      throw asAuditError(`Cannot open the audit log in ${options.folder}`, cause);
    }
  }

  /** Resolves when it is on disk. Rejects with `HO_POLICY_AUDIT`: nothing of it stays. */
  append(fields: AuditFields): Promise<void> {
    if (this.#isClosed) return Promise.reject(auditError('The audit log is closed.'));
    // A disk that hangs: those who wait are turned away in time, and what they had to say would stay.
    if (this.#waiting.length >= MOST_WAITING) return Promise.reject(auditError('Too many entries wait for the disk.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fields, at: new Date(), resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#file.close();
    await this.#head.close();
    await this.#lock.release();
  }

  /** What came while the disk was busy goes together. */
  async #writeAll(): Promise<void> {
    // Those of the same turn of the event loop go together as well.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, 1000);
      try {
        await this.#write(batch);
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        const error = asAuditError(`Cannot write to the audit log in ${this.#options.folder}`, cause);
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    await this.#checkPlace();
    if (this.#bytes >= this.#options.maxBytes) await this.#rotate();
    let point = this.#point;
    let text = '';
    for (const { fields, at } of batch) {
      const written = writeLine(fields, at, point, this.#options.key);
      point = written.point;
      text += written.line;
    }
    const bytes = Buffer.from(text);
    this.#isTorn = true;
    await writeFully(this.#file, bytes, this.#bytes);
    await this.#file.datasync();
    await this.#head.write(point);
    this.#isTorn = false;
    this.#bytes += bytes.length;
    this.#point = point;
  }

  /** What others did to the file while it was open is found before anything is added to it. */
  async #checkPlace(): Promise<void> {
    if (this.#isTorn) {
      await this.#file.truncate(this.#bytes);
      // The head may say that it was written.
      await this.#head.write(this.#point);
      this.#isTorn = false;
    }
    const [there, ours] = await Promise.all([
      stat(join(this.#options.folder, fileName(this.#number))),
      this.#file.stat(),
    ]);
    if (there.ino !== ours.ino || there.dev !== ours.dev) throw new Error('its file was replaced');
    if (ours.size !== this.#bytes) throw new Error('somebody else wrote to its file');
    if (this.#lock.isLost || !(await this.#lock.isInPlace())) throw new Error('another process has its folder');
  }

  async #rotate(): Promise<void> {
    const file = await open(join(this.#options.folder, fileName(this.#number + 1)), 'wx', 0o600);
    await syncFolder(this.#options.folder);
    const before = this.#file;
    this.#file = file;
    this.#number++;
    this.#bytes = 0;
    await before.close();
  }
}

interface OpenState {
  readonly file: FileHandle;
  readonly number: number;
  readonly bytes: number;
  readonly point: ChainPoint;
}

interface Opened {
  readonly head: AuditHead;
  readonly state: OpenState;
  readonly cut: { readonly bytes: number; readonly sha256: string } | undefined;
}

async function openState({ folder, head: headPath, key }: AuditWriterOptions): Promise<Opened> {
  const numbers = await auditFiles(folder);
  const known = await AuditHead.open(headPath, key);
  if (known === undefined) {
    if (numbers.length > 0)
      throw auditError(
        `There are entries in ${folder}, and their head ${headPath} is gone: nobody can tell whether some were cut. Put it back, or move the folder away and begin anew.`,
      );
    const head = await AuditHead.create(headPath, START, key);
    await syncFolder(folder);
    return { head, state: await begin(folder, 1, START), cut: undefined };
  }
  const { head, point } = known;
  try {
    const number = numbers.at(-1);
    if (number === undefined) {
      if (point.n > 0)
        throw auditError(
          `All files of the audit log in ${folder} are gone: its head says that there are ${point.n} entries.`,
        );
      return { head, state: await begin(folder, 1, START), cut: undefined };
    }
    return { head, ...(await openLast(folder, number, numbers.at(-2), point, key)) };
  } catch (error) {
    await head.close();
    throw error;
  }
}

async function begin(folder: string, number: number, point: ChainPoint): Promise<OpenState> {
  const file = await open(join(folder, fileName(number)), 'wx', 0o600);
  await syncFolder(folder);
  return { file, number, bytes: 0, point };
}

const KEEP = 'Run `hermes-observer policy verify-audit`, keep the folder as it is, and begin anew in another one.';

const isSamePoint = (a: ChainPoint, b: ChainPoint): boolean => a.n === b.n && a.hash === b.hash;

/** Entries behind the head were never counted: they are kept if they are whole, and cut if not. */
async function openLast(
  folder: string,
  number: number,
  before: number | undefined,
  head: ChainPoint,
  key: AuditKey,
): Promise<{ state: OpenState; cut: Opened['cut'] }> {
  const reading = await readAuditFile(folder, number, key, head.n);
  const { problem, goodBytes, bytes } = reading;
  const start = before === undefined ? START : (await readAuditFile(folder, before, key)).last;
  if (start === undefined || (reading.first !== undefined && !isSamePoint(reading.first, start))) {
    throw auditError(`${join(folder, fileName(number))} does not go on where the file before it ends. ${KEEP}`);
  }
  const last = reading.last ?? start;
  const path = join(folder, fileName(number));
  const headHash = start.n === head.n ? start.hash : reading.hashes.get(head.n);
  if (last.n < head.n || headHash !== head.hash) {
    const what =
      problem === undefined ? 'its head says that there is another entry' : `line ${problem.line}: ${problem.what}`;
    throw auditError(`${path} is not as it was written: ${what}, entry ${head.n} is the last one that counts. ${KEEP}`);
  }
  const cut =
    goodBytes === bytes
      ? undefined
      : {
          bytes: bytes - goodBytes,
          sha256: sha256((await readFile(path)).subarray(goodBytes)),
        };
  const file = await open(path, 'r+');
  if (cut !== undefined) {
    await file.truncate(goodBytes);
    await file.datasync();
  }
  return { state: { file, number, bytes: goodBytes, point: last }, cut };
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

function asAuditError(what: string, cause: unknown): Error {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return code === 'HO_POLICY_AUDIT' ? (cause as Error) : auditError(`${what}: ${String(message ?? cause)}`, cause);
}
