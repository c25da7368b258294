import { rename, unlink } from 'node:fs/promises';
import { ObserverError } from '../errors.js';
import { Backlog } from './backlog.js';
import { countDamage, type Damage, type DamageCounts } from './damage.js';
import { copyErased, type Erased, touches } from './erase-records.js';
import { makeFolder, syncFolder } from './folder.js';
import { FolderLock } from './folder-lock.js';
import { MAX_PAYLOAD_BYTES } from './frame.js';
import { LogReader, type ReadOptions } from './log-reader.js';
import { LogWriter } from './log-writer.js';
import { type ResolvedOptions, resolveOptions, type SegmentLogOptions } from './options.js';
import { lookAgain, type Recovered, recoverSegments } from './recovery.js';
import { countBelow, countBeyond, type Removed, type RetentionLimits, removeOldest } from './retention.js';
import type { SegmentList } from './segment-list.js';
import type { StoredRecord } from './segment-reader.js';
import { storeError } from './store-error.js';

/**
 * An append-only log of records in a folder. Positions are record numbers from 0. What was acknowledged is there after a
 * crash, in order and whole; what was not acknowledged may be there too, and is whole if it is.
 *
 * One process may have a folder open at a time.
 */
export class SegmentLog {
  readonly folder: string;
  #lock: FolderLock;
  readonly #list: SegmentList;
  readonly #backlog: Backlog;
  readonly #writer: LogWriter;
  readonly #onDamage: (damage: Damage) => void;
  readonly #damage: DamageCounts;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  /**
   * Position of the first record that was missing at the open, with good ones behind it in the newest segment; `undefined`
   * without such a gap. A power failure leaves one where it took a part of what was not synced.
   */
  readonly gap: number | undefined;

  private constructor(
    options: ResolvedOptions,
    lock: FolderLock,
    { list, gap }: Recovered,
    damage: DamageCounts,
    onDamage: (damage: Damage) => void,
  ) {
    this.folder = options.folder;
    this.#lock = lock;
    this.#list = list;
    this.#backlog = new Backlog(options.maxPendingBytes);
    this.#writer = new LogWriter(options, list, this.#backlog, () => this.#lock.isInPlace());
    this.gap = gap;
    this.#damage = damage;
    this.#onDamage = onDamage;
  }

  /**
   * Opens the log of a folder, which is made if it is not there. The tail of the last segment is cut behind the last good
   * record, and `onDamage` is told.
   * @throws ObserverError `HO_OPTION`, `HO_STORE_LOCKED`, or `HO_STORE_FAILED` or `HO_STORE_FULL` if the folder cannot be
   * used.
   */
  static async open(folder: string, options: SegmentLogOptions = {}): Promise<SegmentLog> {
    const resolved = resolveOptions(folder, options);
    let lock: FolderLock | undefined;
    try {
      await makeFolder(folder);
      lock = await FolderLock.take(folder);
      const counts = { cutBytes: 0, lostRecords: 0, skippedBytes: 0 };
      const onDamage = countDamage(counts, resolved.onDamage);
      return new SegmentLog(resolved, lock, await recoverSegments(folder, onDamage), counts, onDamage);
    } catch (cause) {
      await lock?.release();
      throw storeError(`Cannot open the log in ${folder}`, cause);
    }
  }

  /** Position of the oldest record that is kept; the same as `next` if there is none. */
  get oldest(): number {
    return this.#list.oldest;
  }

  /** Position of the record that becomes durable next: all before it can be read. */
  get next(): number {
    return this.#list.durable.position;
  }

  /** Bytes of all segments on disk. */
  get size(): number {
    return this.#list.bytes;
  }

  /** Bytes of appends that are neither acknowledged nor rejected. */
  get pendingBytes(): number {
    return this.#backlog.bytes;
  }

  get damage(): Readonly<DamageCounts> {
    return this.#damage;
  }

  /**
   * Appends records, in the order of the calls. Resolves with the position of the first one when all of them are durable
   * by the sync policy. The payloads must not be changed until then.
   *
   * If it rejects, nothing of it was acknowledged and none of it is read in this process; so do all appends that were
   * called after it and before the rejection, so that records can be appended again in their order. The log stays usable.
   * @throws ObserverError (as a rejection) `HO_STORE_FULL`, `HO_STORE_FAILED`, `HO_STORE_BUSY` over `maxPendingBytes`,
   * `HO_STORE_CLOSED`, `HO_STORE_LOCKED` if another process has the folder, `HO_STORE_GONE` if it was deleted or
   * replaced, `HO_RECORD_TOO_LONG` for a payload over 64 MiB.
   */
  append(payloads: readonly Uint8Array[]): Promise<number> {
    const refusal = this.#refusal(payloads);
    if (refusal !== undefined) return Promise.reject(refusal);
    const done = this.#backlog.add(payloads);
    this.#writer.start();
    return done;
  }

  /** Resolves when an append will be taken, if it is called at once. Who waits is woken in order. */
  room(): Promise<void> {
    return this.#backlog.room();
  }

  /**
   * Makes what was appended durable now, also under `never`.
   * @throws ObserverError (as a rejection) `HO_STORE_FULL`, `HO_STORE_FAILED`, `HO_STORE_CLOSED`.
   */
  flush(): Promise<void> {
    return this.#between(() => this.#writer.sync());
  }

  /**
   * Looks whether the folder and the newest segment are still there. That is done before each acknowledgement too, but for
   * `never`, where it is done twenty times a second.
   * @throws ObserverError (as a rejection) `HO_STORE_GONE`; then appends are refused until `restore`.
   */
  check(): Promise<void> {
    return this.#between(() => this.#writer.check());
  }

  /**
   * After `HO_STORE_GONE`: makes the folder again, takes its lock, and goes on at `next`. What was in segments that are
   * gone is lost, and readers say so when they come to it.
   * @throws ObserverError (as a rejection) `HO_STORE_GONE` if another log is in its place, `HO_STORE_LOCKED` if somebody
   * else has it, `HO_STORE_FULL`, `HO_STORE_FAILED`, `HO_STORE_CLOSED`. It may be called again.
   */
  restore(): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(this.#unusable());
    return this.#writer.between(() => this.#restore());
  }

  async #restore(): Promise<void> {
    try {
      await makeFolder(this.folder);
      const before = this.#lock;
      const lock = (await before.isInPlace()) ? before : await FolderLock.take(this.folder);
      try {
        await lookAgain(this.folder, this.#list);
      } catch (error) {
        if (lock !== before) await lock.release();
        throw error;
      }
      this.#lock = lock;
      if (lock !== before) await before.release();
      this.#writer.gone = undefined;
    } catch (cause) {
      throw storeError(`Cannot make the log in ${this.folder} again`, cause);
    }
  }

  /** Reads records in order, in batches, up to what is durable. Memory is bounded by the largest record or 256 KiB. */
  read(options: ReadOptions = {}): AsyncGenerator<readonly StoredRecord[], void, void> {
    const closed = () => this.#isClosed;
    const view = {
      list: this.#list,
      onDamage: this.#onDamage,
      get isClosed() {
        return closed();
      },
    };
    return new LogReader(view, options).batches();
  }

  /**
   * Deletes the segments that hold only records before `position`. If that is all of them, the log is empty afterwards,
   * and `next` stays.
   */
  truncateBefore(position: number): Promise<Removed> {
    return this.#between(async () => {
      if (position >= this.#writer.next && this.#list.all.length > 0) await this.#writer.beginSegment();
      return removeOldest(this.#list, countBelow(this.#list, position));
    });
  }

  /** Deletes the oldest segments that go beyond the limits, whether or not they were read. Call it now and then. */
  retain(limits: RetentionLimits): Promise<Removed> {
    return this.#between(async () => {
      const count = countBeyond(this.#list, limits);
      if (count > 0 && count === this.#list.all.length) await this.#writer.beginSegment();
      return removeOldest(this.#list, count);
    });
  }

  /** Ends the segment that is written to, so that all that was appended before is in segments that do not change. */
  roll(): Promise<void> {
    return this.#between(() => this.#writer.beginSegment());
  }

  /**
   * Empties records: each ended segment with some of them is written to a new file without their payloads, which is synced
   * and then takes the place of the old one. A crash leaves a segment as it was, or as it is to be. Positions stay: a record
   * without a payload is in each one's place. Those in the segment that is written to are left: see `roll`. Appends go on.
   * @param ranges first position and count in turn, rising
   * @param before segments with a record at or behind this position are left
   * @returns how many were emptied, and whether none was left
   * @throws ObserverError (as a rejection) `HO_STORE_FULL`, `HO_STORE_FAILED`, `HO_STORE_CLOSED`; it may be called again.
   */
  async erase(ranges: readonly number[], before = Number.MAX_SAFE_INTEGER): Promise<Erased> {
    let erased = 0;
    let isWhole = true;
    for (const segment of [...this.#list.all]) {
      const end = this.#list.endOf(segment);
      if (segment.bytes === 0 || !touches(ranges, segment.first, end)) continue;
      // The last one has no end.
      if (end > before) {
        isWhole = false;
        continue;
      }
      let left: string | undefined;
      try {
        const copy = await copyErased(segment, end, ranges, this.#onDamage);
        left = copy.path;
        erased += await this.#between(async () => {
          // Deleted by retention meanwhile, or there was nothing to do.
          if (copy.erased === 0 || !this.#list.all.includes(segment)) return 0;
          await rename(copy.path, segment.path);
          left = undefined;
          segment.bytes = copy.bytes;
          await syncFolder(this.folder);
          return copy.erased;
        });
      } catch (cause) {
        // Retention may have deleted it while it was read.
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && !this.#list.all.includes(segment)) continue;
        throw storeError(`Cannot erase records of ${segment.path}`, cause);
      } finally {
        if (left !== undefined) await unlink(left).catch(() => undefined);
      }
    }
    return { erased, isWhole };
  }

  /** Writes and syncs what was appended, ends the readers once they have it, and gives the folder back. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#writer.between(async () => {
        try {
          await this.#writer.sync();
        } finally {
          await this.#writer.finish();
        }
      });
    } finally {
      this.#isClosed = true;
      this.#list.wake();
      await this.#lock.release();
    }
  }

  #between<T>(job: () => Promise<T>): Promise<T> {
    const refusal = this.#unusable();
    return refusal === undefined ? this.#writer.between(job) : Promise.reject(refusal);
  }

  #unusable(): ObserverError | undefined {
    if (this.#closing !== undefined) {
      return new ObserverError('HO_STORE_CLOSED', `The log in ${this.folder} is closed. Use it before close().`);
    }
    const { gone } = this.#writer;
    if (gone !== undefined || !this.#lock.isLost) return gone;
    const text = `Another process has taken ${this.folder} over. Open the log again once that one has ended.`;
    return new ObserverError('HO_STORE_LOCKED', text);
  }

  #refusal(payloads: readonly Uint8Array[]): ObserverError | undefined {
    const unusable = this.#unusable();
    if (unusable !== undefined) return unusable;
    if (!this.#backlog.hasRoom) {
      const text = `${this.pendingBytes} bytes wait for the disk in ${this.folder}. Wait for room() before an append.`;
      return new ObserverError('HO_STORE_BUSY', text);
    }
    const long = payloads.find(({ length }) => length > MAX_PAYLOAD_BYTES);
    if (long === undefined) return undefined;
    const text = `A record of ${long.length} bytes is over the bound of ${MAX_PAYLOAD_BYTES}. Split it.`;
    return new ObserverError('HO_RECORD_TOO_LONG', text);
  }
}
