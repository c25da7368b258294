import { FrameEncoder } from './frame.js';
import { SegmentFile } from './segment-file.js';
import type { SegmentList } from './segment-list.js';
import { storeError } from './store-error.js';
import { UnsyncedSegments } from './unsynced-segments.js';

export interface RollingOptions {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly segmentMillis: number;
}

/** Writes records to one segment after the other, and gives them their positions. One call at a time. */
export class RollingSegment {
  readonly #options: RollingOptions;
  readonly #list: SegmentList;
  readonly #encoder = new FrameEncoder();
  readonly #unsynced: UnsyncedSegments;
  #file: SegmentFile | undefined;
  /** Bytes of it that are synced. */
  #syncedBytes = 0;
  #next: number;

  constructor(options: RollingOptions, list: SegmentList) {
    this.#options = options;
    this.#list = list;
    this.#unsynced = new UnsyncedSegments(list);
    this.#next = list.durable.position;
  }

  /** Position of the next record that is written. */
  get next(): number {
    return this.#next;
  }

  /** Whether so many bytes belong in a new segment: the one that is written to is to be synced and ended first. */
  isFullFor(bytes: number): boolean {
    const file = this.#file;
    if (file === undefined || file.isTorn) return file !== undefined;
    const isOld = performance.now() - file.createdAt > this.#options.segmentMillis;
    return file.records > 0 && (isOld || file.bytes + bytes > this.#options.segmentBytes);
  }

  /** Writes all or nothing. @param bytes what the payloads take as frames. */
  async write(payloads: readonly Uint8Array[], bytes: number): Promise<void> {
    const file = this.#file ?? (await this.#create());
    try {
      await file.write(this.#encoder.encode(payloads, this.#next, Date.now()), bytes, payloads.length);
    } catch (cause) {
      throw storeError(`Cannot write to ${file.path}`, cause);
    }
    this.#next += payloads.length;
    this.#list.grown(file.bytes);
  }

  /** Makes all that was written durable, what is in ended segments too. */
  async sync(): Promise<void> {
    try {
      await this.#unsynced.sync();
      await this.#file?.sync();
      this.#syncedBytes = this.#file?.bytes ?? 0;
    } catch (cause) {
      throw storeError(`Cannot sync ${this.#file?.path ?? this.#options.folder}`, cause);
    }
  }

  /** Whether the file that is written to is what its name in the folder leads to. */
  async isInPlace(): Promise<boolean> {
    return (await this.#file?.isInPlace()) ?? true;
  }

  /** All that was written can be read from now on. */
  publish(): void {
    this.#list.advance({ position: this.#next, bytes: this.#file?.bytes ?? this.#list.durable.bytes });
  }

  /** Begins an empty segment behind the one that was ended. */
  async begin(): Promise<void> {
    await this.#create();
  }

  async end(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined && file.bytes > this.#syncedBytes) this.#isUnsynced(false);
    try {
      await file?.close();
    } catch (cause) {
      throw storeError(`Cannot close ${file?.path}`, cause);
    }
  }

  /**
   * After a sync that failed, the kernel may hold pages as clean that never reached the disk: another sync would succeed
   * and prove nothing. So all since the last good sync is given up, and the next write goes to a new file at that
   * position. The old one is cut there. If that fails too, readers stop there all the same, since the new one begins
   * there. What was acknowledged without a sync is written again with the next one.
   */
  async giveUp(): Promise<void> {
    const { position, bytes } = this.#list.durable;
    this.#next = position;
    const file = this.#file;
    this.#file = undefined;
    await file?.cut(bytes);
    this.#list.cut(bytes);
    if (file !== undefined && bytes > this.#syncedBytes) this.#isUnsynced(true);
    await file?.close().catch(() => undefined);
  }

  /** The last segment of the list is the file that was just ended. */
  #isUnsynced(isSuspect: boolean): void {
    const segment = this.#list.all.at(-1);
    if (segment !== undefined) this.#unsynced.add(segment, isSuspect);
  }

  async #create(): Promise<SegmentFile> {
    const first = this.#next;
    this.#syncedBytes = 0;
    try {
      this.#file = await SegmentFile.create(this.#options.folder, first);
    } catch (cause) {
      throw storeError(`Cannot begin a segment in ${this.#options.folder}`, cause);
    }
    const { path, bytes } = this.#file;
    this.#list.begin({ path, first, bytes, newestAt: performance.now() }, { position: first, bytes });
    return this.#file;
  }
}
