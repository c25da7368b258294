import { closeSync, constants, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';
import { pendingFile } from './pending-file.js';

/**
 * Where lines go: a file that is opened here, or an open file descriptor that stays the caller's. With `whole`, a
 * regular file is written beside `path`, as `PATH.<pid>.tmp`, and gets its name when it is closed: until then an older
 * file stays as it is, and a process that is killed leaves only the `.tmp` file.
 */
export type LineTarget =
  | { readonly path: string; readonly append?: boolean; readonly whole?: boolean }
  | { readonly fd: number };

const NEWLINE = 10;
const STDOUT = 1;
/** How long a full pipe may stay full before the write fails. */
const BLOCKED_MS = 30_000;
const PAUSE_MS = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));
// With O_APPEND a write goes to the end of the file also after a part of a line was taken back.
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;
const ANEW = APPEND | constants.O_TRUNC;

/** Writes whole lines, synchronously. A line that could not be written to its end is taken back. */
export class LineFile {
  readonly #target: LineTarget;
  #fd: number | undefined;
  /** A part of a line is in the output and could not be taken back. */
  #torn = false;
  /** What the file that is written is called, and what it will be called. */
  #rename: { readonly from: string; readonly to: string } | undefined;

  constructor(target: LineTarget) {
    this.#target = target;
  }

  get name(): string {
    if ('path' in this.#target) return this.#target.path;
    return this.#target.fd === STDOUT ? 'standard output' : `file descriptor ${this.#target.fd}`;
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  open(): number {
    if (this.#fd !== undefined) return this.#fd;
    try {
      this.#fd = 'path' in this.#target ? this.#openPath(this.#target) : this.#target.fd;
    } catch (cause) {
      throw this.#unwritable(cause);
    }
    return this.#fd;
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`; then no whole line of it is in the output. */
  write(line: Uint8Array): void {
    const fd = this.open();
    const lead = this.#torn ? 1 : 0;
    const buffer = Buffer.allocUnsafe(line.length + lead + 1);
    if (lead === 1) buffer[0] = NEWLINE;
    buffer.set(line, lead);
    buffer[buffer.length - 1] = NEWLINE;
    const written = { bytes: 0 };
    try {
      writeAll(fd, buffer, written);
      this.#torn = false;
    } catch (cause) {
      if (written.bytes > 0) this.#takeBack(fd, written.bytes);
      throw this.#unwritable(cause);
    }
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd === undefined || !('path' in this.#target)) return;
    try {
      closeSync(fd);
      if (this.#rename !== undefined) renameSync(this.#rename.from, this.#rename.to);
      this.#rename = undefined;
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  #openPath({ path, append = false, whole = false }: { path: string; append?: boolean; whole?: boolean }): number {
    const pending = whole && !append ? pendingFile(path) : undefined;
    if (pending === undefined) return openSync(path, append ? APPEND : ANEW);
    const fd = openSync(pending.from, ANEW, pending.mode);
    this.#rename = pending;
    return fd;
  }

  #takeBack(fd: number, bytes: number): void {
    // A descriptor of the caller keeps its place behind what was written: cutting that off would leave a hole.
    this.#torn = true;
    if (!('path' in this.#target)) return;
    try {
      ftruncateSync(fd, fstatSync(fd).size - bytes);
      this.#torn = false;
    } catch {
      // A pipe or a device takes nothing back.
    }
  }

  #unwritable(cause: unknown): ObserverError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new ObserverError(
      'HO_OUTPUT_UNWRITABLE',
      `Cannot write to ${this.name}: ${reason}. Check the path, its permissions and the free space.`,
      { cause },
    );
  }
}

/** A write may take a part of the buffer only, and a pipe that is full says EAGAIN. */
function writeAll(fd: number, buffer: Uint8Array, written: { bytes: number }): void {
  let blockedSince: number | undefined;
  while (written.bytes < buffer.length) {
    try {
      written.bytes += writeSync(fd, buffer, written.bytes);
      blockedSince = undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EINTR') continue;
      if (code !== 'EAGAIN') throw error;
      blockedSince ??= performance.now();
      if (performance.now() - blockedSince > BLOCKED_MS) throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}
