import { createReadStream } from 'node:fs';
import {
  compareTime,
  type HookRecord,
  type HrTime,
  type MalformedLine,
  parseUnixNano,
  readRecords,
} from '@hermes-observer/core';
import type { InputReport } from './input-report.js';

const BATCH = 512;

/** One input, read a chunk at a time. */
class Input {
  readonly #batches: AsyncGenerator<HookRecord[], void, undefined>;
  #batch: HookRecord[] = [];
  #next = 0;
  /** Time of the next record; `undefined` when there is none. */
  time: HrTime | undefined;

  constructor(path: string, report: InputReport) {
    this.#batches = readInput(path, report);
  }

  async load(): Promise<void> {
    while (this.#next >= this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done === true) {
        this.time = undefined;
        return;
      }
      this.#batch = value;
      this.#next = 0;
    }
    this.#setTime();
  }

  #setTime(): void {
    const record = this.#batch[this.#next];
    this.time = record === undefined ? undefined : (parseUnixNano(record.time_unix_nano) ?? [0, 0]);
  }

  /** Moves the records that are not after `limit` to `into`. True when the chunk is used up. */
  take(into: HookRecord[], limit: HrTime | undefined): boolean {
    do {
      const record = this.#batch[this.#next++];
      if (record === undefined) return true;
      into.push(record);
      if (this.#next >= this.#batch.length) return true;
      this.#setTime();
    } while (this.time !== undefined && (limit === undefined || compareTime(this.time, limit) <= 0));
    return false;
  }
}

async function* readInput(path: string, report: InputReport): AsyncGenerator<HookRecord[], void, undefined> {
  const source = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
  const onMalformed = (bad: MalformedLine) => report.malformed(path, bad);
  try {
    for await (const records of readRecords(source, { onMalformed })) {
      report.records += records.length;
      yield records;
    }
  } catch (error) {
    report.unreadable(path, error);
  }
}

/**
 * The records of one or more recordings, in batches. Several inputs are merged by time; each keeps its own order, so a
 * clock that steps back in one never reorders it. What cannot be read is told to `report`, and the rest goes on.
 */
export async function* readInputs(
  paths: readonly string[],
  report: InputReport,
): AsyncGenerator<HookRecord[], void, undefined> {
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) {
    yield* readInput(only, report);
    return;
  }
  let inputs = paths.map((path) => new Input(path, report));
  for (const input of inputs) await input.load();
  inputs = inputs.filter((input) => input.time !== undefined);
  let batch: HookRecord[] = [];
  while (inputs.length > 0) {
    const { first, limit } = earliest(inputs);
    if (first.take(batch, limit)) {
      await first.load();
      if (first.time === undefined) inputs = inputs.filter((input) => input !== first);
    }
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** The input with the earliest next record, the first named one of several, and how far it may go on. */
function earliest(inputs: readonly Input[]): { first: Input; limit: HrTime | undefined } {
  let first = inputs[0] as Input;
  for (const input of inputs) if (compareTime(input.time ?? [0, 0], first.time ?? [0, 0]) < 0) first = input;
  let limit: HrTime | undefined;
  for (const { time } of inputs.filter((input) => input !== first)) {
    if (time !== undefined && (limit === undefined || compareTime(time, limit) < 0)) limit = time;
  }
  return { first, limit };
}
