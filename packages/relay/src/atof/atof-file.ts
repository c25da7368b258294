import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { ObserverError } from '@hermes-observer/core';
import type { AtofLine } from './atof-writer.js';

/** A file, which is appended to, or an open file descriptor, which stays open. */
export type AtofTarget =
  | { readonly path: string; readonly mode?: 'append' | 'overwrite' }
  /** Such as 1 for standard output. */
  | { readonly fd: number };

const NEWLINE = 10;
/** So much of the end of a file is looked through for lines that are there already. */
const TAIL_BYTES = 16 * 1024 * 1024;
/** How long a full pipe may stay full. */
const BLOCKED_MILLIS = 30_000;
const PAUSE_MILLIS = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));
const sync = promisify(fdatasync);

/**
 * Lines of ATOF in a file, each written at once. A line that a crash cut short is taken away when the file is opened again, and
 * one that is there already is not written twice: after a crash the same spans may come again.
 */
export class AtofFile {
  readonly name: string;
  readonly #target: AtofTarget;
  #fd: number | undefined;
  /** Keys of the lines at the end of a file that was there. */
  #known = new Set<string>();
  /** Keys of the lines that were written last. */
  #newest = new Set<string>();
  /** Whether it is a regular file, of which something can be taken back. */
  #isFile = false;

  constructor(target: AtofTarget) {
    this.#target = target;
    this.name = 'path' in target ? target.path : target.fd === 1 ? 'standard output' : `file descriptor ${target.fd}`;
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  open(): number {
    if (this.#fd !== undefined) return this.#fd;
    try {
      this.#fd = 'path' in this.#target ? this.#openPath(this.#target) : this.#target.fd;
      return this.#fd;
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`: then none of these lines is in the file, if it is one that can be cut. */
  write(lines: Iterable<AtofLine>): void {
    const fd = this.#openedThere();
    const fresh = [...lines].filter(({ key }) => !this.#known.has(key) && !this.#newest.has(key));
    if (fresh.length === 0) return;
    const bytes = Buffer.from(fresh.map(({ text }) => `${text}\n`).join(''));
    const written = { bytes: 0 };
    const size = this.#isFile ? fstatSync(fd).size : 0;
    try {
      writeAll(fd, bytes, written);
      this.#newest = new Set(fresh.map(({ key }) => key));
    } catch (cause) {
      if (this.#isFile) takeBack(fd, size, written.bytes);
      throw this.#unwritable(cause);
    }
  }

  /** A file that somebody deleted is made again: what is written to what is left of it nobody reads. */
  #openedThere(): number {
    const fd = this.open();
    if (!this.#isFile || fstatSync(fd).nlink > 0) return fd;
    this.close();
    return this.open();
  }

  /** Resolves when what was written outlives a power failure. */
  async sync(): Promise<void> {
    if (this.#fd !== undefined && this.#isFile) await sync(this.#fd);
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    this.#known = new Set();
    if (fd !== undefined && 'path' in this.#target) closeSync(fd);
  }

  #openPath({ path, mode = 'append' }: { readonly path: string; readonly mode?: 'append' | 'overwrite' }): number {
    // Other programs may append to it too.
    const fd = openSync(path, 'a+', 0o600);
    this.#isFile = fstatSync(fd).isFile();
    if (!this.#isFile) return fd;
    if (mode === 'overwrite') cutTo(fd, 0);
    const tail = tailOf(fd);
    this.#known = tail.keys;
    if (tail.isTorn) cutTo(fd, tail.end);
    return fd;
  }

  #unwritable(cause: unknown): ObserverError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text = `Cannot write to ${this.name}: ${reason}. Check the path, its permissions and the free space.`;
    return new ObserverError('HO_OUTPUT_UNWRITABLE', text, { cause });
  }
}

/** Where the whole lines of a file end, and the keys of the last of them. */
function tailOf(fd: number): { readonly end: number; readonly isTorn: boolean; readonly keys: Set<string> } {
  const { size } = fstatSync(fd);
  const keys = new Set<string>();
  let start = Math.max(0, size - TAIL_BYTES);
  let tail = bytesOf(fd, start, size);
  let last = tail.lastIndexOf(NEWLINE);
  // A line may be longer than that.
  while (last < 0 && start > 0) {
    const before = Math.max(0, start - TAIL_BYTES);
    tail = bytesOf(fd, before, start);
    start = before;
    last = tail.lastIndexOf(NEWLINE);
  }
  const end = start + last + 1;
  for (const line of tail.toString('utf8', 0, last + 1).split('\n')) {
    const uuid = /"uuid":"([0-9a-f-]{36})"/.exec(line)?.[1];
    if (uuid !== undefined) keys.add(line.includes('"scope_category":"start"') ? `${uuid}:start` : uuid);
  }
  return { end, isTorn: end < size, keys };
}

function bytesOf(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  for (let read = 0; read < bytes.length; ) {
    const some = readSync(fd, bytes, read, bytes.length - read, start + read);
    if (some === 0) break;
    read += some;
  }
  return bytes;
}

/** Takes back what was written of lines that did not fit. What another program has written meanwhile stays. */
function takeBack(fd: number, size: number, written: number): void {
  if (written > 0 && fstatSync(fd).size === size + written) cutTo(fd, size);
}

function cutTo(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // What is torn is taken away by the next one who opens it.
  }
}

/** A write may take a part of the bytes only, and a pipe that is full says EAGAIN. */
function writeAll(fd: number, bytes: Uint8Array, written: { bytes: number }): void {
  let blockedSince: number | undefined;
  while (written.bytes < bytes.length) {
    try {
      written.bytes += writeSync(fd, bytes, written.bytes);
      blockedSince = undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EINTR') continue;
      blockedSince ??= performance.now();
      if (code !== 'EAGAIN' || performance.now() - blockedSince > BLOCKED_MILLIS) throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MILLIS);
    }
  }
}
