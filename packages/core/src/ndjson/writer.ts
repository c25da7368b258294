import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { HookRecord } from '../contract/record.js';
import { ObserverError } from '../errors.js';
import { formatRecord } from './format-record.js';

/**
 * Writes records as NDJSON to a file descriptor (at once, synchronously: meant for files) or to a stream.
 *
 * Errors of `write`: `HO_RECORD_SHAPE` for a payload JSON cannot hold, `HO_OUTPUT_UNWRITABLE` when the target refuses.
 * After either the writer goes on: a line that was cut short is ended first, so it costs no other record.
 */
export class NdjsonWriter {
  /** Records handed to the target. */
  written = 0;

  readonly #target: number | Writable;
  /** The target holds the start of a line that could not be finished. */
  #torn = false;
  #failure: Error | undefined;
  #drained: Promise<void> | undefined;

  constructor(target: number | Writable) {
    this.#target = target;
    if (typeof target !== 'number') {
      target.on('error', (error) => {
        this.#failure = error;
      });
    }
  }

  /**
   * Writes one record. `undefined`: go on. A promise: the stream is full, wait for it before the next record.
   * The promise rejects with `HO_OUTPUT_UNWRITABLE` when the stream fails or closes instead of draining.
   */
  write(record: HookRecord): Promise<void> | undefined {
    const line = `${formatRecord(record)}\n`;
    if (typeof this.#target === 'number') {
      this.#writeAll(this.#target, this.#torn ? `\n${line}` : line);
      this.written++;
      return undefined;
    }
    if (this.#failure !== undefined) throw unwritable(this.#failure);
    if (!this.#target.writable) throw unwritable(new Error('the stream is closed'));
    const goOn = this.#target.write(line);
    this.written++;
    if (goOn) return undefined;
    if (this.#drained === undefined) {
      this.#drained = this.#drain(this.#target);
      // A caller that does not wait must not get an unhandled rejection; the next `write` tells it.
      this.#drained.catch(() => {});
    }
    return this.#drained;
  }

  #writeAll(fd: number, text: string): void {
    const bytes = Buffer.from(text);
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(fd, bytes, done);
      this.#torn = false;
    } catch (cause) {
      this.#torn ||= done > 0;
      throw unwritable(cause);
    }
  }

  #drain(stream: Writable): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        stream.off('drain', settle).off('close', settle).off('error', settle);
        this.#drained = undefined;
        if (this.#failure === undefined && stream.writable) resolve();
        else reject(unwritable(this.#failure ?? new Error('the stream is closed')));
      };
      stream.on('drain', settle).on('close', settle).on('error', settle);
    });
  }
}

function unwritable(cause: unknown): ObserverError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new ObserverError('HO_OUTPUT_UNWRITABLE', `cannot write records: ${detail}`, { cause });
}
