import {
  compareTime,
  type HookRecord,
  type HrTime,
  type MalformedLine,
  parseUnixNano,
  readRecords,
} from '@hermes-observer/core';
import type { InputReport } from './input-report.js';
import type { OpenInput } from './open-input.js';

const BATCH = 512;

/** The records of one input, read a chunk at a time. */
class RecordSource {
  readonly #batches: AsyncGenerator<HookRecord[], void, undefined>;
  #batch: HookRecord[] = [];
  #next = 0;
  /** Time of the next record; `undefined` when there is none. */
  time: HrTime | undefined;

  constructor(input: OpenInput, report: InputReport) {
    this.#batches = readInput(input, report);
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

async function* readInput(input: OpenInput, report: InputReport): AsyncGenerator<HookRecord[], void, undefined> {
  const { path } = input;
  const onMalformed = (bad: MalformedLine) => report.malformed(path, bad);
  try {
    for await (const records of readRecords(input.chunks(report, 'recordings'), { onMalformed })) {
      report.read(path, records.length);
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
  inputs: readonly OpenInput[],
  report: InputReport,
): AsyncGenerator<HookRecord[], void, undefined> {
  const [only] = inputs;
  if (inputs.length === 1 && only !== undefined) {
    yield* readInput(only, report);
    return;
  }
  let sources = inputs.map((input) => new RecordSource(input, report));
  for (const source of sources) await source.load();
  sources = sources.filter((source) => source.time !== undefined);
  let batch: HookRecord[] = [];
  while (sources.length > 0) {
    const { first, limit } = earliest(sources);
    if (first.take(batch, limit)) {
      await first.load();
      if (first.time === undefined) sources = sources.filter((source) => source !== first);
    }
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** The source with the earliest next record, the first named one of several, and how far it may go on. */
function earliest(sources: readonly RecordSource[]): { first: RecordSource; limit: HrTime | undefined } {
  let first = sources[0] as RecordSource;
  for (const source of sources) if (compareTime(source.time ?? [0, 0], first.time ?? [0, 0]) < 0) first = source;
  let limit: HrTime | undefined;
  for (const { time } of sources.filter((source) => source !== first)) {
    if (time !== undefined && (limit === undefined || compareTime(time, limit) < 0)) limit = time;
  }
  return { first, limit };
}
