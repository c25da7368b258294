import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';

/** Where lines go: a file that is opened here, or an open file descriptor that stays the caller's. */
export type LineTarget = { readonly path: string; readonly append?: boolean } | { readonly fd: number };

const NEWLINE = 10;
/** How long a full pipe may stay full before the write fails. */
const BLOCKED_MS = 30_000;
const PAUSE_MS = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes whole lines, synchronously. A line that could not be written to its end is taken back. */
export class LineFile {
  readonly #target: LineTarget;
  #fd: number | undefined;
  /** A part of a line is in the output and could not be taken back. */
  #torn = false;

  constructor(target: LineTarget) {
    this.#target = target;
  }

  get name(): string {
    return 'path' in this.#target ? this.#target.path : `file descriptor ${this.#target.fd}`;
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  open(): number {
    if (this.#fd !== undefined) return this.#fd;
    const target = this.#target;
    try {
      this.#fd = 'path' in target ? openSync(target.path, target.append === true ? 'a' : 'w') : target.fd;
    } catch (cause) {
      throw this.#unwritable(cause);
    }
    return this.#fd;
  }

  /** @throws ObserverError `HO_OUTPUT_UNWRITABLE`; then nothing of `line` is in the output. */
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
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  #takeBack(fd: number, bytes: number): void {
    try {
      ftruncateSync(fd, fstatSync(fd).size - bytes);
    } catch {
      this.#torn = true;
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
