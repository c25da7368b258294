import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { SegmentLog, type SegmentLogOptions } from '@hermes-observer/core/segments';
import type { Encoding } from '../encoding/encoding.js';
import { SpoolCursor } from './spool-cursor.js';
import { decodeEntry, encodeEntry, entryBytes, HEADER_BYTES, type SpoolEntry } from './spool-entry.js';

/** Deleted as a whole: small ones give space back earlier. */
const SEGMENT_BYTES = 8 * 1024 * 1024;
/** How long after the disk took nothing it is tried again. */
const RETRY_MILLIS = 1_000;

/** A request, and the spans in it. */
export interface Request {
  readonly body: Uint8Array;
  readonly spans: number;
}

/** Over a limit the oldest is given up and counted. */
export interface SpoolLimits {
  readonly bytes: number;
  readonly ageMillis: number;
}

export interface SpoolOptions {
  readonly limits: SpoolLimits;
  /** What the requests are written in. */
  readonly encoding: Encoding;
  /** What was delivered before, as far as the caller knows. @default 0 */
  readonly cursor?: number;
  /**
   * Position behind the newest of what spans are made of, where that can be read again, such as a journal: what a spool
   * says of later ones is of one that was lost. @default 0
   */
  readonly sourceEnd?: number;
  readonly log?: SegmentLogOptions;
}

interface Job {
  readonly requests: readonly Request[];
  readonly from: number;
  readonly upTo: number;
  readonly resolve: () => void;
  isDone: boolean;
}

/** An entry and where it is. */
export interface Waiting extends SpoolEntry {
  readonly position: number;
}

/** Requests that wait for one target, in order, on disk. */
export class Spool {
  readonly #log: SegmentLog;
  readonly #limits: SpoolLimits;
  readonly #encoding: Encoding;
  readonly #file: SpoolCursor;
  /** Position of the first request that was not delivered, and what lies before it. */
  #cursor: number;
  #doneSpans = 0;
  #doneBytes = 0;
  /** The same of the next request. */
  #spans = 0;
  #bytes = 0;
  /** Position behind the newest request that is written. */
  get next(): number {
    return this.#log.next;
  }

  /** All spans of what stands before this position of their source are here, or were. */
  #upTo = 0;
  /** What was handed out last. */
  #sending: Waiting | undefined;
  /** Spans of it that are on disk no more. */
  #held = 0;
  /** What was appended and is not written, in order. */
  readonly #jobs: Job[] = [];
  #written = { spans: 0, bytes: 0 };
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Why the disk did not take something, the last time that was so. */
  lastError: string | undefined;
  /** Spans given up since there were too many, or they waited too long; and those that damage took. */
  readonly lost = { limit: 0, damage: 0 };

  private constructor(log: SegmentLog, limits: SpoolLimits, encoding: Encoding, file: SpoolCursor, cursor: number) {
    this.#log = log;
    this.#encoding = encoding;
    this.#file = file;
    this.#limits = limits;
    this.#cursor = cursor;
  }

  /** @throws ObserverError as `SegmentLog.open`. */
  static async open(folder: string, options: SpoolOptions): Promise<Spool> {
    const { limits, encoding, cursor = 0, sourceEnd = 0 } = options;
    // Synced when the caller says so: until then the source stands for what is here.
    const log = await SegmentLog.open(folder, { ...options.log, sync: 'never', segmentBytes: SEGMENT_BYTES });
    const file = new SpoolCursor(join(folder, 'cursor'));
    const known = Math.max(cursor, await file.load());
    const spool = new Spool(log, limits, encoding, file, Math.min(Math.max(known, log.oldest), log.next));
    await spool.#look();
    // What a power failure took a part of is made again from the journal: what lies behind the gap says nothing.
    if (log.gap !== undefined) spool.#upTo = (await spool.#entryAt(log.gap - 1))?.upTo ?? 0;
    if (spool.#upTo > sourceEnd) spool.#upTo = 0;
    return spool;
  }

  /** Position of the first request that was not delivered. */
  get cursor(): number {
    return this.#cursor;
  }

  /** All spans of what stands before this position of their source are here, or were. */
  get upTo(): number {
    return this.#upTo;
  }

  get waitingBytes(): number {
    return Math.max(0, this.#bytes - this.#doneBytes);
  }

  get waitingSpans(): number {
    return Math.max(0, this.#spans - this.#doneSpans) + this.#held;
  }

  get diskBytes(): number {
    return this.#log.size;
  }

  /** Bytes that damage has made useless: skipped, or cut off. */
  get damagedBytes(): number {
    return this.#log.damage.skippedBytes + this.#log.damage.cutBytes;
  }

  get isEmpty(): boolean {
    return this.#cursor >= this.#log.next && this.#jobs.length === 0;
  }

  /**
   * Adds the requests of a stretch; resolves when they are written, however long the disk is full.
   * @param from position of the source where the stretch begins. @param upTo where the next one begins.
   */
  add(requests: readonly Request[], from = 0, upTo = 0): Promise<void> {
    return new Promise((resolve) => {
      const job = { requests, from, upTo, resolve, isDone: false };
      this.#jobs.push(job);
      if (this.#retry === undefined) this.#append(job);
    });
  }

  /** Bytes of requests that are not written. */
  get pendingBytes(): number {
    let bytes = 0;
    for (const { requests } of this.#jobs) for (const { body } of requests) bytes += body.length;
    return bytes;
  }

  /** Nothing of a stretch had to be added. */
  passed(upTo: number): void {
    this.#upTo = Math.max(this.#upTo, upTo);
  }

  /** Requests from the cursor on, also those that are yet to come, until `signal`. */
  async *follow(signal: AbortSignal): AsyncGenerator<Waiting, void, void> {
    for await (const batch of this.#log.read({ from: this.#cursor, follow: true, signal })) {
      for (const { position, payload } of batch) {
        if (signal.aborted) return;
        // What was given up meanwhile is counted there; what lies between is lost to damage.
        if (position < this.#cursor) continue;
        const entry = decodeEntry(payload);
        if (entry === undefined) this.#cursor = position + 1;
        else {
          this.#passTo(position, entry);
          this.#sending = { position, ...entry };
          yield this.#sending;
        }
      }
    }
  }

  /** A request was delivered, or refused for good. */
  done(entry: Waiting): void {
    const { position, spansBefore, bytesBefore, spans } = entry;
    if (position < this.#cursor) {
      this.#held = 0;
      return;
    }
    this.#cursor = position + 1;
    this.#file.save(this.#cursor);
    this.#doneSpans = spansBefore + spans;
    this.#doneBytes = bytesBefore + entryBytes(entry);
  }

  /** Looks whether its folder is still there, and makes it again if not. Returns whether it did. */
  async look(): Promise<boolean> {
    try {
      await this.#log.check();
      return false;
    } catch (error) {
      if (!ObserverError.isInstance(error) || error.code !== 'HO_STORE_GONE') throw error;
    }
    try {
      await this.#log.restore();
      await this.#file.reopen();
    } catch (error) {
      this.lastError = error instanceof Error ? error.message : String(error);
      throw error;
    }
    return true;
  }

  /** Deletes what was delivered, and what goes beyond the limits. To be called once a second or so. */
  async retain(): Promise<void> {
    if (this.#cursor > this.#log.oldest && this.#log.size > SEGMENT_BYTES) await this.#log.truncateBefore(this.#cursor);
    const { bytes, ageMillis } = this.#limits;
    if (this.isEmpty || (this.#log.size <= bytes && !Number.isFinite(ageMillis))) return;
    const removed = await this.#log.retain({ bytes, ageMillis });
    if (removed.to <= this.#cursor) return;
    const first = await this.#entryAt(removed.to);
    const spansBefore = first?.spansBefore ?? this.#spans;
    // The one that is being sent is in memory, and is not lost.
    const held = this.#sending?.position === this.#cursor ? this.#sending.spans : 0;
    this.#held += held;
    this.lost.limit += Math.max(0, spansBefore - this.#doneSpans - held);
    this.#cursor = removed.to;
    this.#doneSpans = spansBefore;
    this.#doneBytes = first?.bytesBefore ?? this.#bytes;
  }

  flush(): Promise<void> {
    return this.#log.flush();
  }

  /** What is not written by then never resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.lost.limit += this.#held;
    this.#held = 0;
    clearTimeout(this.#retry);
    if (this.isEmpty && this.#log.size > 0) await this.#log.truncateBefore(this.#log.next).catch(() => undefined);
    await this.#file.close();
    await this.#log.close();
  }

  #append(job: Job): void {
    const { requests, from, upTo } = job;
    const entries = requests.map(({ body, spans }, i) => {
      // A stretch is here with its last request.
      const end = i === requests.length - 1 ? upTo : from;
      const entry = encodeEntry(
        { encoding: this.#encoding, spans, upTo: end, spansBefore: this.#spans, bytesBefore: this.#bytes },
        body,
      );
      this.#spans += spans;
      this.#bytes += entry.length;
      return entry;
    });
    this.#log.append(entries).then(
      () => this.#kept(job),
      (error) => this.#failed(error),
    );
  }

  #kept(job: Job): void {
    job.isDone = true;
    while (this.#jobs[0]?.isDone === true) {
      const { requests, upTo, resolve } = this.#jobs.shift() as Job;
      for (const { body, spans } of requests) {
        this.#written.spans += spans;
        this.#written.bytes += HEADER_BYTES + body.length;
      }
      this.#upTo = Math.max(this.#upTo, upTo);
      resolve();
    }
  }

  /** All that was appended behind it was rejected with it: it is appended again, in the same order. */
  #failed(error: Error): void {
    if (this.#retry !== undefined || this.#isClosed) return;
    this.lastError = error.message;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#spans = this.#written.spans;
      this.#bytes = this.#written.bytes;
      for (const job of this.#jobs) if (!job.isDone) this.#append(job);
    }, RETRY_MILLIS).unref();
  }

  /** What lies before the cursor and before the next request. */
  async #look(): Promise<void> {
    const last = await this.#entryAt(this.#log.next - 1);
    if (last !== undefined) {
      this.#spans = last.spansBefore + last.spans;
      this.#bytes = last.bytesBefore + entryBytes(last);
      this.#upTo = last.upTo;
    }
    this.#written = { spans: this.#spans, bytes: this.#bytes };
    const first = await this.#entryAt(this.#cursor);
    this.#doneSpans = first?.spansBefore ?? this.#spans;
    this.#doneBytes = first?.bytesBefore ?? this.#bytes;
  }

  #passTo(position: number, { spansBefore, bytesBefore }: SpoolEntry): void {
    if (position > this.#cursor) {
      this.lost.damage += Math.max(0, spansBefore - this.#doneSpans);
      this.#cursor = position;
      this.#doneSpans = spansBefore;
    }
    this.#doneBytes = bytesBefore;
  }

  async #entryAt(position: number): Promise<SpoolEntry | undefined> {
    if (position < this.#log.oldest || position >= this.#log.next) return undefined;
    for await (const [record] of this.#log.read({ from: position })) {
      return record === undefined ? undefined : decodeEntry(record.payload);
    }
    return undefined;
  }
}
