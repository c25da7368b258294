import type { ObserverError } from '../errors.js';
import type { Append, Backlog } from './backlog.js';
import { FrameEncoder } from './frame.js';
import { SegmentFile } from './segment-file.js';
import type { SegmentList } from './segment-list.js';
import { storeError } from './store-error.js';
import { type SyncPolicy, SyncSchedule } from './sync-policy.js';

/** A write is worth its call from this size on; smaller appends that wait go together. */
const GROUP_BYTES = 1024 * 1024;

export interface LogWriterOptions {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly segmentMillis: number;
  readonly sync: SyncPolicy;
  readonly syncMillis: number;
}

/**
 * Brings appends to the disk: one loop that writes what waits, syncs when that is due and acknowledges. Nothing else
 * touches the segment that is written to; other work on the segments is done between two rounds of the loop.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #list: SegmentList;
  readonly #backlog: Backlog;
  readonly #encoder = new FrameEncoder();
  readonly #schedule: SyncSchedule;
  #file: SegmentFile | undefined;
  /** Position of the next record that is written. */
  #next: number;
  /** Written, and not synced. */
  #unsynced: Append[] = [];
  #jobs: (() => Promise<void>)[] = [];
  #isRunning = false;

  constructor(options: LogWriterOptions, list: SegmentList, backlog: Backlog) {
    this.#options = options;
    this.#list = list;
    this.#backlog = backlog;
    this.#next = list.durable.position;
    this.#schedule = new SyncSchedule(options.sync, options.syncMillis, () => this.start());
  }

  get next(): number {
    return this.#next;
  }

  /** Starts the loop, if it is not running, once the caller is done: appends of one turn go together. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  /** Does a job between two rounds, with all that was appended before it written. */
  between<T>(job: () => Promise<T>): Promise<T> {
    const done = new Promise<T>((resolve, reject) => {
      this.#jobs.push(() => job().then(resolve, reject));
    });
    this.start();
    return done;
  }

  /** For a job: makes all that is written durable, under every policy. */
  async sync(): Promise<void> {
    const file = this.#file;
    try {
      await file?.sync();
    } catch (cause) {
      throw await this.#giveUp(storeError(`Cannot sync ${file?.path}`, cause));
    }
    this.#acknowledge();
  }

  /** For a job: begins a new segment, so that all records are in complete ones. No new one follows one that is empty. */
  async beginSegment(): Promise<void> {
    if (this.#list.all.at(-1)?.first === this.#next) return;
    await this.#complete();
    await this.#create();
  }

  /** For the last job: nothing is written any more. */
  async finish(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#list.complete();
    try {
      await file?.close();
    } catch (cause) {
      throw storeError(`Cannot close ${file?.path}`, cause);
    }
  }

  async #run(): Promise<void> {
    for (;;) {
      const jobs = this.#jobs;
      this.#jobs = [];
      if (jobs.length === 0 && this.#backlog.isEmpty && !this.#schedule.isDue) break;
      const groups = this.#backlog.takeGroups(Math.min(GROUP_BYTES, this.#options.segmentBytes));
      try {
        while (groups[0] !== undefined) {
          await this.#write(groups[0]);
          groups.shift();
          // One that is always due waits for all that is here: they share it.
          if (this.#schedule.isDue && this.#schedule.policy === 'interval') await this.sync();
        }
        if (this.#schedule.isDue) await this.sync();
      } catch (error) {
        // Also what was appended behind it, which must not be there without it.
        this.#backlog.reject([...groups.flat(), ...this.#backlog.takeAll()], error);
      }
      for (const job of jobs) await job();
    }
    this.#isRunning = false;
  }

  async #write(group: readonly Append[]): Promise<void> {
    const payloads = group.length === 1 && group[0] ? group[0].payloads : group.flatMap((append) => append.payloads);
    const bytes = group.reduce((sum, append) => sum + append.bytes, 0);
    if (payloads.length > 0) await this.#writeRecords(payloads, bytes);
    let position = this.#next - payloads.length;
    for (const append of group) {
      append.position = position;
      position += append.payloads.length;
    }
    this.#unsynced.push(...group);
    if (this.#options.sync === 'never') this.#acknowledge();
    else this.#schedule.written();
  }

  async #writeRecords(payloads: readonly Uint8Array[], bytes: number): Promise<void> {
    const file = await this.#fileFor(bytes);
    try {
      await file.write(this.#encoder.encode(payloads, this.#next, Date.now()), bytes, payloads.length);
    } catch (cause) {
      throw storeError(`Cannot write to ${file.path}`, cause);
    }
    this.#next += payloads.length;
    const segment = this.#list.active;
    if (segment !== undefined) {
      segment.bytes = file.bytes;
      segment.newestAt = performance.now();
    }
  }

  async #fileFor(bytes: number): Promise<SegmentFile> {
    const file = this.#file;
    if (file === undefined) return this.#create();
    const isFull = file.records > 0 && file.bytes + bytes > this.#options.segmentBytes;
    const isOld = file.records > 0 && performance.now() - file.createdAt > this.#options.segmentMillis;
    if (!isFull && !isOld && !file.isTorn) return file;
    await this.#complete();
    return this.#create();
  }

  async #create(): Promise<SegmentFile> {
    const first = this.#next;
    let file: SegmentFile;
    try {
      file = await SegmentFile.create(this.#options.folder, first);
    } catch (cause) {
      throw storeError(`Cannot begin a segment in ${this.#options.folder}`, cause);
    }
    this.#file = file;
    const { path, bytes } = file;
    this.#list.begin({ path, first, bytes, newestAt: performance.now() }, { position: first, bytes });
    return file;
  }

  /** Ends the segment that is written to; what is in it is durable, unless the policy is `never`. */
  async #complete(): Promise<void> {
    if (this.#options.sync !== 'never') await this.sync();
    await this.finish();
  }

  #acknowledge(): void {
    this.#schedule.settled();
    const appends = this.#unsynced;
    this.#unsynced = [];
    this.#list.advance({ position: this.#next, bytes: this.#file?.bytes ?? this.#list.durable.bytes });
    this.#backlog.acknowledge(appends);
  }

  /**
   * After a sync that failed, the kernel may hold pages as clean that never reached the disk: another sync would succeed
   * and prove nothing. So all since the last good sync is rejected, and the log goes on in a new file at that position.
   * The old one is cut there; if that fails too, readers stop there all the same, since the new one begins there.
   */
  async #giveUp(error: ObserverError): Promise<ObserverError> {
    this.#schedule.settled();
    const appends = this.#unsynced;
    this.#unsynced = [];
    const { position, bytes } = this.#list.durable;
    const segment = this.#list.active;
    await this.#file?.cut(bytes);
    if (segment !== undefined) segment.bytes = this.#file?.bytes ?? bytes;
    await this.finish().catch(() => undefined);
    this.#next = position;
    this.#backlog.reject([...appends, ...this.#backlog.takeAll()], error);
    return error;
  }
}
