import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, readFile, stat, truncate, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObserverError } from '../errors.js';
import { ownIdentity, type ProcessIdentity, stateOf } from './process-identity.js';
import { isSameFile } from './same-file.js';

const NAME = /^lock\.(\d+)$/;
const PENDING = /^lock\.pending\./;
const TOUCH_MILLIS = 2_000;
/** An owner that cannot be looked up by its pid is gone if its file was not touched for so long. */
const SILENT_MILLIS = 6_000;
const WATCH_MILLIS = 250;

/**
 * Keeps a folder for one process. The lock is the file `lock.<n>` of the highest n; an empty one is released. It comes
 * into being with its content (`link`), and only one contender can make number n + 1 once the owner of n is gone. The
 * highest number is never deleted, so numbers only rise, and who looked long ago cannot take what was taken since.
 */
export class FolderLock {
  readonly #folder: string;
  readonly #number: number;
  readonly #path: string;
  /** Kept open, so that no other file gets its number while it counts. */
  readonly #file: FileHandle;
  readonly #touching: NodeJS.Timeout;
  #isLost = false;

  private constructor(folder: string, number: number, file: FileHandle) {
    this.#folder = folder;
    this.#number = number;
    this.#path = join(folder, `lock.${number}`);
    this.#file = file;
    this.#touching = setInterval(() => void this.#touch(), TOUCH_MILLIS).unref();
  }

  /** @throws ObserverError `HO_STORE_LOCKED` if another process, or another part of this one, has it. */
  static async take(folder: string): Promise<FolderLock> {
    for (;;) {
      const highest = Math.max(0, ...(await numbers(folder)));
      if (highest > 0 && !(await isFree(join(folder, `lock.${highest}`)))) continue;
      const file = await make(folder, highest + 1);
      if (file !== undefined) return new FolderLock(folder, highest + 1, file);
    }
  }

  /** Somebody else has the folder: this process was stopped for so long that it counted as gone. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether its file is still there: without it, anybody may take the folder. */
  isInPlace(): Promise<boolean> {
    return isSameFile(this.#path, this.#file);
  }

  async release(): Promise<void> {
    clearInterval(this.#touching);
    // Emptied, not deleted: see above. If it is gone, so is the folder.
    if (!this.#isLost && (await this.isInPlace())) await truncate(this.#path, 0).catch(() => undefined);
    await this.#file.close().catch(() => undefined);
  }

  async #touch(): Promise<void> {
    // A folder or a lock that was deleted is nobody's: the log finds that out before it acknowledges anything.
    await utimes(this.#path, new Date(), new Date()).catch(() => undefined);
    const highest = Math.max(0, ...(await numbers(this.#folder).catch(() => [])));
    if (highest > this.#number) this.#isLost = true;
  }
}

async function numbers(folder: string): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => Number(NAME.exec(name)?.[1] ?? []));
}

/** Whether nobody has this lock, or false if it is gone, since somebody took the next one meanwhile. */
async function isFree(path: string): Promise<boolean> {
  try {
    const content = await readFile(path, 'utf8');
    if (content === '') return true;
    const owner = parse(content);
    const state = owner === undefined ? 'unknown' : stateOf(owner);
    if (state === 'gone' || (state === 'unknown' && (await isSilent(path)))) return true;
    const who = owner?.pid === process.pid ? 'this process' : `process ${owner?.pid ?? 'unknown'}`;
    const folder = path.slice(0, path.lastIndexOf('lock.') - 1);
    const text = `${folder} is used by ${who}. Stop it, or use another folder; if it is gone for sure, delete ${path}.`;
    throw new ObserverError('HO_STORE_LOCKED', text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function parse(content: string): ProcessIdentity | undefined {
  try {
    const { pid, start, boot, space } = JSON.parse(content) as Record<string, unknown>;
    return typeof pid === 'number' && pid > 0
      ? { pid, start: String(start), boot: String(boot), space: String(space) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the file's time with itself, not with a clock: clocks differ and are set. */
async function isSilent(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path);
  const until = performance.now() + SILENT_MILLIS;
  while (performance.now() < until) {
    await sleep(WATCH_MILLIS);
    if ((await stat(path)).mtimeMs !== mtimeMs) return false;
  }
  return true;
}

/** Makes `lock.<number>` and deletes the older ones, or returns `undefined` if somebody else was first. */
async function make(folder: string, number: number): Promise<FileHandle | undefined> {
  const pending = join(folder, `lock.pending.${process.pid}.${randomBytes(6).toString('hex')}`);
  const path = join(folder, `lock.${number}`);
  const file = await open(pending, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(ownIdentity()));
    await link(pending, path);
  } catch (error) {
    await file.close();
    // ENOENT: the winner cleared the file away.
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  } finally {
    await unlink(pending).catch(() => undefined);
  }
  const names = await readdir(folder);
  if (names.some((name) => Number(NAME.exec(name)?.[1] ?? 0) > number)) {
    await unlink(path).catch(() => undefined);
    await file.close();
    return undefined;
  }
  const old = names.filter((name) => PENDING.test(name) || Number(NAME.exec(name)?.[1] ?? number) < number);
  for (const name of old) await unlink(join(folder, name)).catch(() => undefined);
  return file;
}
