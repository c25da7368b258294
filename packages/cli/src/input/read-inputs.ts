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
import { TimeHeap } from './time-heap.js';

const BATCH = 512;

/** The records of one input, read a chunk at a time. */
class RecordSource {
  readonly #batches: AsyncGenerator<HookRecord[], void, undefined>;
  #batch: HookRecord[] = [];
  #next = 0;
  /** Time of the next record; `undefined` when there is none. */
  time: HrTime | undefined;
  readonly order: number;

  constructor(input: OpenInput, report: InputReport, order: number) {
    this.order = order;
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
  const sources = inputs.map((input, order) => new RecordSource(input, report, order));
  for (const source of sources) await source.load();
  const heap = new TimeHeap(sources.filter((source) => source.time !== undefined));
  let batch: HookRecord[] = [];
  for (let source = heap.first; source !== undefined; source = heap.first) {
    if (source.take(batch, heap.secondTime)) await source.load();
    if (source.time === undefined) heap.removeFirst();
    else heap.moved();
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
