import { type HookRecord, LineSplitter, ObserverError, parseRecord } from '@hermes-observer/core';
import type { RecordBatch } from '../service/ports.js';
import { beginsAsJson } from './json-start.js';
import { heavinessOf } from './json-weight.js';
import { helloProblem } from './protocol.js';
import { nameProblem } from './record-names.js';

/** A line that asks for something: `{"op": …}`. */
export type Operation = Readonly<Record<string, unknown>>;

export interface LineReaderEvents {
  onOperation(operation: Operation, line: number): void;
  /** A line that is neither a record nor an operation, or one that is taken all the same and has something wrong. */
  onProblem(line: number, error: ObserverError): void;
}

/** Records with the bytes of their lines. */
export interface ReadBatch extends RecordBatch {
  readonly bytes: number;
}

/** After so many lines that are none, no more traces of calls are taken for their errors: these are most of their cost. */
const TRACED_PROBLEMS = 16;

/** Lines of one client to records and operations. Each line is parsed once; a line that is too long is not held. */
export class LineReader {
  readonly #splitter: LineSplitter;
  readonly #events: LineReaderEvents;
  #problems = 0;
  #lines: Uint8Array[] = [];
  #records: HookRecord[] = [];
  #bytes = 0;

  constructor(given: LineReaderEvents, maxLineBytes: number) {
    const events: LineReaderEvents = {
      onOperation: (operation, line) => given.onOperation(operation, line),
      onProblem: (line, error) => {
        this.#problems++;
        given.onProblem(line, error);
      },
    };
    this.#events = events;
    const onTooLong = (line: number) =>
      events.onProblem(
        line,
        new ObserverError('HO_RECORD_TOO_LONG', `the line is longer than ${maxLineBytes} bytes and was skipped`),
      );
    const onLine = (text: string, line: number, bytes: Uint8Array | undefined) => this.#read(text, line, bytes);
    this.#splitter = new LineSplitter({ onLine, onTooLong }, maxLineBytes, true);
  }

  /** Bytes of an unfinished line that are held. */
  get heldBytes(): number {
    return this.#splitter.heldBytes;
  }

  /** Bytes of the lines that `take` would give. */
  get readBytes(): number {
    return this.#bytes;
  }

  /** The chunk must not be changed afterwards: lines are parts of it. */
  push(chunk: Uint8Array): void {
    if (this.#problems <= TRACED_PROBLEMS) {
      this.#splitter.push(chunk);
      return;
    }
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      this.#splitter.push(chunk);
    } finally {
      Error.stackTraceLimit = limit;
    }
  }

  /** Reads a last line that has no newline. */
  end(): void {
    this.#splitter.end();
  }

  /** What was read since the last time. */
  take(): ReadBatch {
    const batch = { lines: this.#lines, records: this.#records, bytes: this.#bytes };
    this.#lines = [];
    this.#records = [];
    this.#bytes = 0;
    return batch;
  }

  #read(text: string, line: number, bytes: Uint8Array | undefined): void {
    if (!beginsAsJson(text)) {
      this.#events.onProblem(line, new ObserverError('HO_RECORD_NOT_JSON', 'not JSON: a record is one JSON object'));
      return;
    }
    const heaviness = heavinessOf(text);
    if (heaviness !== undefined) {
      this.#events.onProblem(line, new ObserverError('HO_RECORD_SHAPE', `the line ${heaviness}`));
      return;
    }
    const parsed = parseRecord(text);
    const { record, error } = parsed;
    if (error !== undefined) {
      this.#readOther(text, line, error);
      return;
    }
    const refusal = nameProblem(parsed, text.length);
    if (refusal !== undefined) {
      this.#events.onProblem(line, refusal);
      return;
    }
    if (record.hook === 'observer_hello') {
      const problem = helloProblem(record.payload);
      if (problem !== undefined) this.#events.onProblem(line, problem);
    }
    if (bytes === undefined) return;
    this.#lines.push(bytes);
    this.#records.push(record);
    this.#bytes += bytes.length;
  }

  /** Operations are few, so that only they are parsed twice. */
  #readOther(text: string, line: number, error: ObserverError): void {
    const value: unknown = error.code === 'HO_RECORD_SHAPE' ? JSON.parse(text) : undefined;
    if (typeof value === 'object' && value !== null && typeof (value as Operation).op === 'string') {
      this.#events.onOperation(value as Operation, line);
    } else {
      this.#events.onProblem(line, error);
    }
  }
}
