import type { Damage } from './damage.js';
import { damagedHeader, lostRecords } from './damage.js';
import type { DurableEnd, Segment, SegmentList } from './segment-list.js';
import { SegmentReader, type StoredRecord } from './segment-reader.js';
import { storeError } from './store-error.js';

export interface ReadOptions {
  /**
   * Position to begin with, the oldest record by default. One that is older than all begins with the oldest, one that is
   * ahead of all with the next one that is appended.
   */
  readonly from?: number;
  /** Waits at the end for more, until the log is closed. By default it ends at what is durable when it is called. */
  readonly follow?: boolean;
  /** Ends the reading, also while it waits. */
  readonly signal?: AbortSignal;
}

export interface LogView {
  readonly list: SegmentList;
  readonly isClosed: boolean;
  readonly onDamage: (damage: Damage) => void;
}

/** Reads over all segments, up to what is durable. Damage is reported, and costs the records in it. */
export class LogReader {
  readonly #view: LogView;
  readonly #signal: AbortSignal | undefined;
  /** Where it ends, if it does not follow. */
  readonly #end: number | undefined;
  #position: number;
  #reader: SegmentReader | undefined;

  constructor(view: LogView, { from = 0, follow = false, signal }: ReadOptions) {
    this.#view = view;
    this.#signal = signal;
    this.#end = follow ? undefined : view.list.durable.position;
    this.#position = Math.min(Math.max(from, view.list.oldest), view.list.durable.position);
  }

  /** @throws ObserverError `HO_STORE_FAILED` if the disk cannot be read. */
  async *batches(): AsyncGenerator<readonly StoredRecord[], void, void> {
    try {
      while (!this.#signal?.aborted) {
        if (this.#position >= (this.#end ?? this.#view.list.durable.position)) {
          if (this.#end !== undefined || this.#view.isClosed) return;
          await this.#more();
          continue;
        }
        const records = await this.#read();
        if (records.length > 0) yield records;
      }
    } finally {
      await this.#leave();
    }
  }

  async #read(): Promise<readonly StoredRecord[]> {
    const { list } = this.#view;
    const segment = list.find(this.#position);
    if (segment === undefined) {
      // It was deleted while it was read: go on with what is kept.
      this.#position = list.oldest;
      return [];
    }
    const { durable } = list;
    const end = list.endOf(segment);
    const limit = Math.min(this.#end ?? durable.position, end);
    // Of the newest segment: where a record will begin, whatever is before.
    const last = end === Number.POSITIVE_INFINITY ? durable : undefined;
    try {
      const reader = await this.#enter(segment);
      if (reader === undefined) return [];
      const records = await readOrDamaged(reader, limit, last?.bytes ?? segment.bytes);
      if (records.length === 0) await this.#skip(reader, limit, last ?? { position: end, bytes: segment.bytes });
      const from = this.#position;
      this.#position = Math.max(from, reader.position);
      return records[0] !== undefined && records[0].position < from
        ? records.filter(({ position }) => position >= from)
        : records;
    } catch (cause) {
      throw storeError(`Cannot read ${segment.path}`, cause);
    }
  }

  async #enter(segment: Segment): Promise<SegmentReader | undefined> {
    if (this.#reader?.first === segment.first) return this.#reader;
    await this.#leave();
    try {
      this.#reader = await SegmentReader.open(segment.path, segment.first);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // Deleted by retention between two steps, or by somebody else: then it is lost.
      const { list } = this.#view;
      const end = Math.min(list.endOf(segment), list.durable.position);
      if (list.all.includes(segment))
        this.#view.onDamage(lostRecords(segment.path, 0, segment.first, end - segment.first, segment.bytes));
      this.#position = end;
      return undefined;
    }
    const { headerFault, path, first } = this.#reader;
    if (headerFault !== undefined) this.#view.onDamage(damagedHeader(path, first, headerFault));
    return this.#reader;
  }

  /** Goes on behind damage: at the next good record, or else where the segment ends. */
  async #skip(reader: SegmentReader, limit: number, end: DurableEnd): Promise<void> {
    const found = await reader.next(end.position, end.bytes);
    const { position, offset } = found ?? { position: end.position, offset: end.bytes };
    this.#view.onDamage(lostRecords(reader.path, reader.offset, reader.position, position - reader.position, offset));
    reader.jump(position, offset);
    // What is lost may reach beyond what was asked for.
    this.#position = Math.min(Math.max(this.#position, position), limit);
  }

  async #more(): Promise<void> {
    const signal = this.#signal;
    await new Promise<void>((resolve) => {
      const woken = () => {
        stop();
        signal?.removeEventListener('abort', woken);
        resolve();
      };
      const stop = this.#view.list.onChange(woken);
      signal?.addEventListener('abort', woken);
    });
  }

  async #leave(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }
}

/** A part of a disk that cannot be read any more is damage as any other; else a reader would stay before it for good. */
async function readOrDamaged(reader: SegmentReader, limit: number, end: number): Promise<readonly StoredRecord[]> {
  try {
    return await reader.read(limit, end);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EIO') return [];
    throw error;
  }
}
