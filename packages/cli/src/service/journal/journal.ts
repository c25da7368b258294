import { type HookRecord, ObserverError, parseRecord } from '@hermes-observer/core';
import { type Erased, SegmentLog, type SegmentLogOptions, type StoredRecord } from '@hermes-observer/core/segments';
import { type Stretch, Tail } from './tail.js';

/** Records that wait in memory for tracing, in bytes of their lines; more are read from disk again. */
const TAIL_BYTES = 32 * 1024 * 1024;
/** Records read from disk at once, at most. */
const MOST_READ = 512;

export interface JournalOptions extends SegmentLogOptions {
  /** What becomes of a record that is read from disk: more may have been captured when it was written. */
  readonly prepare: (record: HookRecord) => HookRecord;
  readonly history: { readonly ageMillis: number; readonly bytes: number };
  /** Told of records that are durable, in their order, and of the position behind them. */
  readonly onKept?: (records: readonly HookRecord[], end: number) => void;
}

/** Codes that say that the folder is not this service's own any more. */
const LOST: readonly string[] = ['HO_STORE_GONE', 'HO_STORE_LOCKED'];

/** All records, in the order they came; one reader follows them. */
export class Journal {
  readonly #log: SegmentLog;
  readonly #history: JournalOptions['history'];
  readonly #prepare: JournalOptions['prepare'];
  readonly #onKept: JournalOptions['onKept'];
  readonly #tail = new Tail(TAIL_BYTES);
  #reading: { position: number; batches: AsyncGenerator<readonly StoredRecord[], void, void> } | undefined;
  #rest: Stretch | undefined;
  #woken: (() => void) | undefined;
  #isHurrying = false;
  readonly #isSynced: boolean;
  /** Lines on disk that were no records: damage that checksums did not find, or of another version. */
  unreadable = 0;
  /** Why it takes nothing: its folder was deleted or replaced. */
  trouble: ObserverError | undefined;

  private constructor(
    log: SegmentLog,
    { history, prepare, onKept, sync }: Pick<JournalOptions, 'history' | 'prepare' | 'onKept' | 'sync'>,
  ) {
    this.#log = log;
    this.#prepare = prepare;
    this.#onKept = onKept;
    this.#history = history;
    this.#isSynced = sync !== 'never';
  }

  /** @throws ObserverError as `SegmentLog.open`. */
  static async open(folder: string, { history, prepare, onKept, ...options }: JournalOptions): Promise<Journal> {
    const log = await SegmentLog.open(folder, options);
    const { sync } = options;
    return new Journal(log, {
      history,
      prepare,
      ...(sync === undefined ? {} : { sync }),
      ...(onKept === undefined ? {} : { onKept }),
    });
  }

  /** Position of the next record that becomes durable. */
  get next(): number {
    return this.#log.next;
  }

  get oldest(): number {
    return this.#log.oldest;
  }

  get bytes(): number {
    return this.#log.size;
  }

  get pendingBytes(): number {
    return this.#log.pendingBytes;
  }

  get lostRecords(): number {
    return this.#log.damage.lostRecords;
  }

  /** Bytes that damage has made useless: skipped, or cut off. */
  get damagedBytes(): number {
    return this.#log.damage.skippedBytes + this.#log.damage.cutBytes;
  }

  /** Resolves when the records are durable. @throws ObserverError as `SegmentLog.append`. */
  append(lines: readonly Uint8Array[], records: readonly HookRecord[]): Promise<void> {
    let bytes = 0;
    for (const { length } of lines) bytes += length;
    return this.#log.append(lines).then(
      (first) => {
        this.#tail.add({ first, records, bytes });
        this.#onKept?.(records, first + records.length);
        this.wake();
      },
      (error: unknown) => {
        this.#note(error);
        throw error;
      },
    );
  }

  /**
   * Looks whether its folder is still there, and makes it again if not. To be called once a second or so.
   * @returns whether it was made again.
   * @throws ObserverError where that cannot be done now; it may be called again.
   */
  async look(): Promise<boolean> {
    try {
      await this.#log.check();
      this.trouble = undefined;
      return false;
    } catch (error) {
      if (!this.#note(error)) throw error;
    }
    try {
      await this.#log.restore();
    } catch (error) {
      if (ObserverError.isInstance(error)) this.trouble = error;
      throw error;
    }
    this.trouble = undefined;
    return true;
  }

  /** @throws ObserverError where the folder is not this service's own any more: then nothing beside it may be written. */
  check(): Promise<void> {
    return this.#log.check();
  }

  /** Syncs what was appended without waiting for its time: somebody sends no more until it is acknowledged. */
  hurry(): void {
    if (!this.#isSynced || this.#isHurrying) return;
    this.#isHurrying = true;
    const done = () => {
      this.#isHurrying = false;
    };
    // Who appended is told of a failure.
    this.#log.flush().then(done, done);
  }

  #note(error: unknown): boolean {
    if (!ObserverError.isInstance(error) || !LOST.includes(error.code)) return false;
    this.trouble ??= error;
    return true;
  }

  /** Ends a `follow` that waits. */
  wake(): void {
    this.#woken?.();
    this.#woken = undefined;
  }

  /** The records from `position` on, some of them; `undefined` when there are none now. */
  async read(position: number): Promise<Stretch | undefined> {
    if (position >= this.next) return undefined;
    const fromTail = this.#tail.take(position);
    if (fromTail !== undefined) {
      await this.#stopReading();
      return fromTail;
    }
    return await this.#fromDisk(position);
  }

  /** Resolves when there may be records at `position`. */
  follow(position: number): Promise<void> {
    if (position < this.next) return Promise.resolve();
    return new Promise((resolve) => {
      this.#woken = resolve;
    });
  }

  /** All lines of a range, for a recovery. Those that are lost or no records are left out. */
  async *range(from: number, to: number): AsyncGenerator<{ position: number; line: Buffer }, void, void> {
    if (from >= to) return;
    for await (const batch of this.#log.read({ from })) {
      for (const { position, payload } of batch) {
        if (position >= to) return;
        // It was erased.
        if (payload.length === 0) continue;
        yield { position, line: payload };
      }
    }
  }

  parse(line: Buffer): HookRecord | undefined {
    const { record } = parseRecord(line.toString());
    if (record === undefined) this.unreadable++;
    return record;
  }

  /**
   * Deletes history: segments with nothing at or behind `settled` in them, which are older than it is kept, or more.
   * @param all as if no history was to be kept, since the disk is full
   */
  async retain(settled: number, all = false): Promise<void> {
    const { ageMillis, bytes } = this.#history;
    if (all || bytes === 0) {
      if (settled > this.oldest) await this.#log.truncateBefore(Math.min(settled, this.next));
    } else await this.#log.retain({ ageMillis, bytes, before: settled });
  }

  /** Ends the segment that is written to. */
  roll(): Promise<void> {
    return this.#log.roll();
  }

  /**
   * Empties records that no recovery needs. @param ranges first and count in turn, rising
   * @throws ObserverError as `SegmentLog.erase`.
   */
  erase(ranges: readonly number[]): Promise<Erased> {
    return this.#log.erase(ranges);
  }

  flush(): Promise<void> {
    return this.#log.flush();
  }

  async close(): Promise<void> {
    await this.#stopReading();
    await this.#log.close();
  }

  async #fromDisk(position: number): Promise<Stretch | undefined> {
    const rest = this.#rest;
    if (rest !== undefined && rest.first === position) return this.#part(rest);
    if (this.#reading?.position !== position) {
      await this.#stopReading();
      this.#reading = { position, batches: this.#log.read({ from: position }) };
    }
    const reading = this.#reading;
    const { value, done } = await reading.batches.next();
    if (done === true || value === undefined) {
      await this.#stopReading();
      return undefined;
    }
    const last = value.at(-1);
    reading.position = (last?.position ?? position - 1) + 1;
    return this.#part(this.#parsed(value, position));
  }

  /** What is lost in between, or no record, is an empty place: positions must count on. */
  #parsed(batch: readonly StoredRecord[], position: number): Stretch {
    const records: HookRecord[] = [];
    for (const stored of batch) {
      for (let lost = position + records.length; lost < stored.position; lost++) {
        records.push(LOST_RECORD);
      }
      const record = stored.payload.length === 0 ? undefined : this.parse(stored.payload);
      records.push(record === undefined ? NOTHING : this.#prepare(record));
    }
    return { first: position, records, bytes: 0 };
  }

  #part(stretch: Stretch): Stretch {
    const { first, records, bytes } = stretch;
    // The tail may hold what comes next.
    const most = Math.min(MOST_READ, (this.#tail.first ?? Number.POSITIVE_INFINITY) - first);
    if (records.length <= most) {
      this.#rest = undefined;
      return stretch;
    }
    this.#rest = { first: first + most, records: records.slice(most), bytes };
    return { first, records: records.slice(0, most), bytes };
  }

  async #stopReading(): Promise<void> {
    const reading = this.#reading;
    this.#reading = undefined;
    this.#rest = undefined;
    await reading?.batches.return();
  }
}

/** Stands for a record that is lost. */
export const LOST_RECORD: HookRecord = { hook: '', time_unix_nano: '0', payload: {} };
/** Stands for a line that is no record, or was erased. No producer can send it: its hook has no name. */
const NOTHING: HookRecord = { hook: '', time_unix_nano: '0', payload: {} };
