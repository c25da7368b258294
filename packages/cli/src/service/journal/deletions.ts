import { type HookRecord, parseRecord } from '@hermes-observer/core';
import { type Deletion, DeletionFile, sessionDigest } from './deletion-file.js';
import { DeletionScan, namesSession } from './deletion-scan.js';
import type { Journal } from './journal.js';
import { type Ranges, rangesOf } from './position-ranges.js';

/** Records looked at until others get their turn. */
const SLICE = 256;

export interface DeletionParts {
  readonly journal: Journal;
  /** Path of the file with deletions that are not done. */
  readonly file: string;
  /**
   * Sees to it that no recovery reads some records any more: their traces are over and let go of, and nothing beside the journal
   * has them. Resolves with false where one of these is open, and `upTo` where not all before it is traced.
   */
  readonly release: (ranges: Ranges, upTo: number) => Promise<boolean>;
  readonly onWarning: (text: string) => void;
}

interface Waiting {
  deletion: Deletion;
  /** Its records were looked for. */
  isPlanned: boolean;
  /** They are gone. */
  isDone: boolean;
}

/**
 * Sessions that somebody wants gone. Their records are found, no recovery needs them any more, and they are emptied on disk;
 * until then nothing shows them. A deletion that was taken is done also after a crash: what is to go is on disk
 * before any of it goes.
 */
export class Deletions {
  readonly #parts: DeletionParts;
  readonly #file: DeletionFile;
  readonly #waiting: Waiting[] = [];
  /** Digests of all sessions that were deleted in this run, or are to be, and up to where. */
  readonly #hidden = new Map<string, number>();
  readonly #traces = new Set<string>();
  #saving: Promise<void> = Promise.resolve();
  #running: Promise<void> | undefined;
  #busy: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #told = '';
  /** Records that were emptied since the start. */
  erased = 0;

  private constructor(parts: DeletionParts) {
    this.#parts = parts;
    this.#file = new DeletionFile(parts.file);
  }

  static async open(parts: DeletionParts): Promise<Deletions> {
    const made = new Deletions(parts);
    try {
      for (const deletion of await made.#file.load(parts.journal.next)) made.#begin(deletion);
    } catch (error) {
      parts.onWarning(`${parts.file} cannot be read, sessions that were deleted may be there again: ${String(error)}`);
    }
    return made;
  }

  /** Deletions that are not done. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Ids of traces that were deleted in this run, or are to be: they may have been made again before their records were gone. */
  get traces(): string[] {
    return [...this.#traces];
  }

  /** Whether a record is one of a session that was deleted. */
  has(record: HookRecord, position: number): boolean {
    if (this.#hidden.size === 0) return false;
    return namesSession(record, (session) => position < (this.#hidden.get(sessionDigest(session)) ?? 0));
  }

  /**
   * Resolves when it is sure that the records of a session up to now will be gone.
   * @param places records that are known to be of it. @param traces ids of its traces
   * @throws Error of the file system: then nothing is deleted
   */
  async add(session: string, places: Ranges, traces: readonly string[]): Promise<void> {
    const { journal } = this.#parts;
    const waiting = this.#begin({
      sessions: [sessionDigest(session)],
      ranges: rangesOf([], places),
      traces,
      upTo: journal.next,
    });
    try {
      await this.#save();
    } catch (error) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      throw error;
    }
    // Only segments that have ended can be written anew.
    await journal.roll().catch((error) => this.#warn(error));
  }

  /** Does what can be done. To be called once a second or so. */
  look(): void {
    if (this.#waiting.length === 0 || this.#isStopped) return;
    this.#running ??= this.#go()
      .catch((error) => this.#warn(error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** What is not done now is done after the next start. Resolves when the journal is not used any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#busy;
  }

  async #go(): Promise<void> {
    const { journal, release } = this.#parts;
    for (const waiting of [...this.#waiting]) {
      if (!waiting.isPlanned) await this.#during(this.#plan(waiting));
      const { ranges, upTo } = waiting.deletion;
      if (this.#isStopped || !(await release(ranges, upTo)) || this.#isStopped) continue;
      const { erased, isWhole } = await this.#during(journal.erase(ranges));
      this.erased += erased;
      if (!isWhole) await journal.roll();
      else {
        waiting.isDone = true;
        await this.#save();
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#told = '';
      }
    }
  }

  /** A stop waits for it. */
  #during<T>(work: Promise<T>): Promise<T> {
    this.#busy = work.catch(() => undefined);
    return work;
  }

  /** Looks for records, and notes on disk what is to go before any of it goes. */
  async #plan(waiting: Waiting): Promise<void> {
    const { journal } = this.#parts;
    const { sessions, ranges, traces, upTo } = waiting.deletion;
    const scan = new DeletionScan(sessions, ranges);
    let handled = 0;
    for await (const { position, line } of journal.range(journal.oldest, upTo)) {
      if (this.#isStopped) return;
      const { record } = parseRecord(line.toString());
      if (record !== undefined) scan.see(position, record);
      if (++handled % SLICE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    scan.end();
    waiting.deletion = { sessions: scan.sessions, ranges: scan.ranges(), traces, upTo };
    waiting.isPlanned = true;
    this.#hide(waiting.deletion);
    await this.#save();
  }

  #begin(deletion: Deletion): Waiting {
    this.#hide(deletion);
    const waiting = { deletion, isPlanned: false, isDone: false };
    this.#waiting.push(waiting);
    return waiting;
  }

  #hide({ sessions, traces, upTo }: Deletion): void {
    for (const trace of traces) this.#traces.add(trace);
    for (const session of sessions) this.#hidden.set(session, Math.max(upTo, this.#hidden.get(session) ?? 0));
  }

  #save(): Promise<void> {
    this.#saving = this.#saving
      .catch(() => {})
      .then(() => this.#file.save(this.#waiting.filter(({ isDone }) => !isDone).map(({ deletion }) => deletion)));
    return this.#saving;
  }

  #warn(error: unknown): void {
    const text = `records of a deleted session are still on disk: ${error instanceof Error ? error.message : error}`;
    if (text !== this.#told) this.#parts.onWarning(text);
    this.#told = text;
  }
}
