import { constants } from 'node:buffer';
import { parseRecord } from '../contract/parse-record.js';
import type { HookRecord } from '../contract/record.js';
import { ObserverError } from '../errors.js';
import { DEFAULT_MAX_LINE_BYTES, LineSplitter } from './line-splitter.js';

export interface MalformedLine {
  /** Number of the line in its input, from 1. */
  line: number;
  /** `HO_RECORD_NOT_JSON`, `HO_RECORD_SHAPE` or `HO_RECORD_TOO_LONG`. */
  error: ObserverError;
}

export interface NdjsonOptions {
  /**
   * Longest line in bytes, its newline left out. A longer one is skipped without being held in memory. From 1 to the longest
   * string of the engine (512 MiB).
   * @default 67108864 (64 MiB)
   */
  maxLineBytes?: number;
  /** Told of each line that is no record. What it throws comes out of `push`, `end` or the iteration. */
  onMalformed?: (bad: MalformedLine) => void;
}

/**
 * Bytes in, records out, by hand: for a socket, a pipe, a file read piece by piece. Lines may be cut anywhere.
 * Malformed lines are counted and told; they never stop the reading. Blank lines are no records and not malformed.
 *
 * Errors: the constructor throws `HO_OPTION` for a bound out of its range.
 */
export class NdjsonParser {
  /** Lines that were no record. */
  malformed = 0;

  readonly #splitter: LineSplitter;
  readonly #onMalformed: ((bad: MalformedLine) => void) | undefined;
  readonly #maxLineBytes: number;
  #records: HookRecord[] = [];

  constructor(options: NdjsonOptions = {}) {
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, onMalformed } = options;
    if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1 || maxLineBytes > constants.MAX_STRING_LENGTH) {
      throw new ObserverError(
        'HO_OPTION',
        `maxLineBytes must be a whole number from 1 to ${constants.MAX_STRING_LENGTH}, the longest string there can be`,
      );
    }
    this.#maxLineBytes = maxLineBytes;
    this.#onMalformed = onMalformed;
    this.#splitter = new LineSplitter(
      {
        onLine: (text, line) => {
          const { record, error } = parseRecord(text);
          if (error === undefined) this.#records.push(record);
          else this.#refuse(line, error);
        },
        onTooLong: (line) => this.#refuse(line, this.#tooLong()),
      },
      maxLineBytes,
    );
  }

  /** Lines begun so far, blank and malformed ones included. */
  get lines(): number {
    return this.#splitter.lines;
  }

  /** Records whose lines ended in this chunk, often none. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): HookRecord[] {
    this.#splitter.push(chunk);
    return this.#take();
  }

  /** The record of a last line without a newline, if there is one. */
  end(): HookRecord[] {
    this.#splitter.end();
    return this.#take();
  }

  #take(): HookRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #refuse(line: number, error: ObserverError): void {
    this.malformed++;
    this.#onMalformed?.({ line, error });
  }

  #tooLong(): ObserverError {
    return new ObserverError(
      'HO_RECORD_TOO_LONG',
      `the line is longer than ${bytesText(this.#maxLineBytes)}, the most that is read: bound what the producer sends`,
    );
  }
}

const MEBIBYTE = 1024 * 1024;

const bytesText = (bytes: number) => (bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`);
