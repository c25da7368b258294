import {
  compareTime,
  type HookRecord,
  type HrTime,
  LineSplitter,
  ObserverError,
  parseUnixNano,
  toRecord,
} from '@hermes-observer/core';
import { inputFiles } from '../input/input-files.js';
import type { InputReport } from '../input/input-report.js';
import { openInput } from '../input/open-input.js';
import { isTraceRequest, rowsOfRequest } from './otlp-rows.js';
import type { SpanRow } from './span-row.js';

/** What the inputs held. */
export interface ViewInput {
  /** Of OTLP/JSON inputs, in order. */
  readonly rows: SpanRow[];
  /** Of recordings: several are merged by time, each keeps its own order. */
  readonly records: readonly HookRecord[];
}

/**
 * Reads recordings and OTLP/JSON files (one request a line), also all of a folder. The first line of an input that is JSON says which of the
 * two it is. Each input is read once, so a pipe will do. What cannot be read is told to `report`, and the rest goes on.
 * @param onRequest gets the requests of OTLP/JSON inputs instead of making rows of them
 */
export async function readViewInput(
  paths: readonly string[],
  report: InputReport,
  onRequest?: (request: unknown) => void,
): Promise<ViewInput> {
  const rows: SpanRow[] = [];
  const recordings: HookRecord[][] = [];
  for (const path of await inputFiles(paths)) {
    const opened = await openInput(path, report);
    if (opened === undefined) continue;
    const input = new LineInput(path, report, onRequest);
    try {
      for await (const chunk of opened.chunks(report, 'recordings or OTLP')) input.splitter.push(chunk);
      input.splitter.end();
    } catch (error) {
      report.unreadable(path, error);
    }
    for (const row of input.rows) rows.push(row);
    if (input.records.length > 0) recordings.push(input.records);
  }
  return { rows, records: mergeByTime(recordings) };
}

class LineInput {
  readonly rows: SpanRow[] = [];
  readonly records: HookRecord[] = [];
  readonly splitter: LineSplitter;
  readonly #path: string;
  readonly #report: InputReport;
  readonly #onRequest: ((request: unknown) => void) | undefined;
  #isOtlp: boolean | undefined;

  constructor(path: string, report: InputReport, onRequest?: (request: unknown) => void) {
    this.#onRequest = onRequest;
    this.#path = path;
    this.#report = report;
    this.splitter = new LineSplitter({
      onLine: (text, line) => this.#take(text, line),
      onTooLong: (line) =>
        this.#refuse(
          line,
          new ObserverError(
            'HO_RECORD_TOO_LONG',
            'the line is longer than 64 MiB, the most that is read: bound what the producer sends',
          ),
        ),
    });
  }

  #take(text: string, line: number): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(
        line,
        new ObserverError('HO_RECORD_NOT_JSON', 'not JSON: a line is a hook record or an OTLP/JSON request'),
      );
      return;
    }
    this.#isOtlp ??= isTraceRequest(value);
    if (this.#isOtlp) this.#takeRequest(value, line);
    else {
      const { record, error } = toRecord(value);
      if (error !== undefined) this.#refuse(line, error);
      else {
        this.records.push(record);
        this.#report.read(this.#path, 1);
      }
    }
  }

  #takeRequest(value: unknown, line: number): void {
    try {
      if (!isTraceRequest(value))
        throw new ObserverError('HO_RECORD_SHAPE', 'resourceSpans must be an array, not missing');
      if (this.#onRequest !== undefined) this.#onRequest(value);
      else for (const row of rowsOfRequest(value)) this.rows.push(row);
      this.#report.used(this.#path, 1);
    } catch (error) {
      if (!ObserverError.isInstance(error)) throw error;
      this.#refuse(line, error);
    }
  }

  #refuse(line: number, error: ObserverError): void {
    this.#report.malformed(this.#path, { line, error });
  }
}

/** A clock that steps back in one recording never reorders it: a record counts as no earlier than the one before. */
function mergeByTime(recordings: readonly HookRecord[][]): readonly HookRecord[] {
  const [only] = recordings;
  if (recordings.length <= 1) return only ?? [];
  const timed: { record: HookRecord; time: HrTime }[] = [];
  for (const records of recordings) {
    let time: HrTime = [0, 0];
    for (const record of records) {
      const own = parseUnixNano(record.time_unix_nano) ?? time;
      if (compareTime(own, time) > 0) time = own;
      timed.push({ record, time });
    }
  }
  return timed.sort((a, b) => compareTime(a.time, b.time)).map(({ record }) => record);
}
