import type { ObserverError } from '../errors.js';
import type { Append, Backlog } from './backlog.js';
import { type RollingOptions, RollingSegment } from './rolling-segment.js';
import type { SegmentList } from './segment-list.js';
import { goneError } from './store-error.js';
import { type SyncPolicy, SyncSchedule } from './sync-policy.js';

/** Under `never`, it is looked so often whether the folder is still there. */
const LOOK_MILLIS = 50;
/** A write is worth its call from this size on; smaller appends that wait go together. */
const GROUP_BYTES = 1024 * 1024;

export interface LogWriterOptions extends RollingOptions {
  readonly sync: SyncPolicy;
  readonly syncMillis: number;
}

/**
 * Brings appends to the disk: one loop that writes what waits, syncs when that is due and acknowledges. Nothing else
 * touches the segment that is written to; other work on the segments is done between two rounds of the loop.
 */
export class LogWriter {
  readonly #segment: RollingSegment;
  readonly #list: SegmentList;
  readonly #backlog: Backlog;
  readonly #schedule: SyncSchedule;
  readonly #groupBytes: number;
  readonly #isKept: () => Promise<boolean>;
  readonly #folder: string;
  /** Why nothing is written any more: the folder was deleted or replaced. Who makes it again takes this back. */
  gone: ObserverError | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Written, and not synced. */
  #unsynced: Append[] = [];
  #jobs: (() => Promise<void>)[] = [];
  #isRunning = false;

  /** @param isKept whether the folder is this process's own still. */
  constructor(options: LogWriterOptions, list: SegmentList, backlog: Backlog, isKept: () => Promise<boolean>) {
    this.#segment = new RollingSegment(options, list);
    this.#list = list;
    this.#backlog = backlog;
    this.#schedule = new SyncSchedule(options.sync, options.syncMillis, () => this.start());
    this.#isKept = isKept;
    this.#folder = options.folder;
    this.#groupBytes = Math.min(GROUP_BYTES, options.segmentBytes);
  }

  /** Position of the next record that is written. */
  get next(): number {
    return this.#segment.next;
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
    try {
      await this.#segment.sync();
      await this.#look();
    } catch (error) {
      await this.#giveUp(error);
      throw error;
    }
    this.#acknowledge();
  }

  /** For a job: whether the folder and the segment in it are still there. What is not acknowledged is rejected if not. */
  check(): Promise<void> {
    return this.#lookOrGiveUp();
  }

  /** For a job: begins a new segment, so that all records are in ended ones. No new one follows one that is empty. */
  async beginSegment(): Promise<void> {
    if (this.#list.all.at(-1)?.first === this.next) return;
    await this.#endSegment();
    await this.#segment.begin();
  }

  /** For the last job: nothing is written any more. */
  finish(): Promise<void> {
    return this.#segment.end();
  }

  async #run(): Promise<void> {
    for (;;) {
      const jobs = this.#jobs;
      this.#jobs = [];
      if (jobs.length === 0 && this.#backlog.isEmpty && !this.#schedule.isDue) break;
      const groups = this.#backlog.takeGroups(this.#groupBytes);
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
    if (payloads.length > 0) {
      const bytes = group.reduce((sum, append) => sum + append.bytes, 0);
      if (this.#segment.isFullFor(bytes)) await this.#endSegment();
      await this.#segment.write(payloads, bytes);
    }
    let position = this.next - payloads.length;
    for (const append of group) {
      append.position = position;
      position += append.payloads.length;
    }
    const isNever = this.#schedule.policy === 'never';
    if (isNever && performance.now() - this.#lookedAt >= LOOK_MILLIS) await this.#lookOrGiveUp();
    this.#unsynced.push(...group);
    if (isNever) this.#acknowledge();
    else this.#schedule.written();
  }

  /** What was written to a folder that is gone must not be acknowledged. */
  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    const [isKept, isInPlace] = await Promise.all([this.#isKept(), this.#segment.isInPlace()]);
    if (isKept && isInPlace) return;
    this.gone = goneError(this.#folder);
    throw this.gone;
  }

  async #lookOrGiveUp(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      await this.#giveUp(error);
      throw error;
    }
  }

  /** What is in a segment that was ended is durable, unless the policy is `never`. */
  async #endSegment(): Promise<void> {
    if (this.#schedule.policy !== 'never') await this.sync();
    await this.#segment.end();
  }

  #acknowledge(): void {
    const appends = this.#takeUnsynced();
    this.#segment.publish();
    this.#backlog.acknowledge(appends);
  }

  async #giveUp(error: unknown): Promise<void> {
    const appends = this.#takeUnsynced();
    await this.#segment.giveUp();
    this.#backlog.reject([...appends, ...this.#backlog.takeAll()], error);
  }

  #takeUnsynced(): Append[] {
    this.#schedule.settled();
    const appends = this.#unsynced;
    this.#unsynced = [];
    return appends;
  }
}
