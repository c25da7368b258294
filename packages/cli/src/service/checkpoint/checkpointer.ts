import type { SavedAssembly, Trace } from '@hermes-observer/otel';
import type { SavedMeters } from '@hermes-observer/signals';
import type { DropTotals, SavedDrops } from '../drop-totals.js';
import type { Intake } from '../intake/intake.js';
import type { SavedProducer } from '../intake/producers.js';
import type { Journal } from '../journal/journal.js';
import { EVERY } from '../tracing/trace-tracks.js';
import type { Tracer } from '../tracing/tracer.js';
import type { Checkpoint } from './checkpoint.js';
import type { CheckpointFile } from './checkpoint-file.js';
import type { HeldRecords } from './held-records.js';

const EVERY_MILLIS = 1_000;
/** What a checkpoint costs is a small part of the time between two. */
const COST_FACTOR = 25;
/** When the oldest needed record lies further back than twice this, what is needed of the older ones is taken out. */
const HOLD_RECORDS = 65_536;
/** Traces beyond this are not held any more, the largest first: after a crash, what is open of them is lost. */
const MOST_HELD_BYTES = 256 * 1024 * 1024;

export interface CheckpointParts {
  readonly file: CheckpointFile;
  readonly journal: Journal;
  readonly tracer: Tracer;
  readonly intake: Pick<Intake, 'producers' | 'countedUpTo'>;
  readonly drops: DropTotals;
  readonly metrics: { save(): SavedMeters } | undefined;
  readonly cursors: () => Record<string, number>;
  /** Syncs the spools. */
  readonly flush: () => Promise<void>;
  readonly onWarning: (text: string) => void;
}

/** What is to be written of a moment, taken at that moment. */
interface Snapshot {
  readonly position: number;
  readonly assembly: SavedAssembly;
  readonly neededHeld: readonly number[];
  readonly needed: readonly number[];
  readonly producers: readonly SavedProducer[];
  readonly producersUpTo: number;
  readonly drops: SavedDrops;
  readonly metrics: SavedMeters | undefined;
}

interface Renewal {
  step: 'write' | 'sweep';
  /** Both checkpoints have this position, or a later one. */
  readonly from: number;
  readonly done: (() => void)[];
}

/** Makes checkpoints: what they say is taken between two records, and written when the spans are in the spools. */
export class Checkpointer {
  readonly #parts: CheckpointParts;
  #held: HeldRecords | undefined;
  /** The journal before this position is not needed any more. */
  settled: number;
  failures = 0;
  made = 0;
  /** Traces that were too large to be held. */
  unheld = 0;
  #nextAt = 0;
  #running: Promise<void> | undefined;
  #last = '';
  #isFailing = false;
  /** Two checkpoints have to be made: with what is held written anew, and then with the file before deleted. */
  #renewal: Renewal | undefined;

  /** @param settled of the checkpoint that there is */
  constructor(parts: CheckpointParts, settled: number) {
    this.#parts = parts;
    this.settled = settled;
  }

  /** Makes checkpoints from now on. @param held what is held now */
  begin(held: HeldRecords): void {
    this.#held = held;
  }

  get isDue(): boolean {
    return this.#held !== undefined && this.#running === undefined && performance.now() >= this.#nextAt;
  }

  get heldBytes(): number {
    return this.#held?.bytes ?? 0;
  }

  /** Makes one again though nothing has changed: the file of the last one was deleted. To be called once a second or so. */
  async look(): Promise<void> {
    if (this.#last === '' || this.#running !== undefined || (await this.#parts.file.isThere())) return;
    this.#parts.onWarning('The checkpoint was deleted while it was in use, and is made again.');
    this.#again();
  }

  /**
   * Resolves when both checkpoints on disk are of `from` or behind it and were made from now on, and no record is held of a
   * trace that is not tracked now.
   */
  renew(from: number): Promise<void> {
    return new Promise((done) => {
      const before = this.#renewal;
      this.#renewal = { step: 'write', from: Math.max(from, before?.from ?? 0), done: [...(before?.done ?? []), done] };
      this.#again();
    });
  }

  #again(): void {
    this.#last = '';
    this.#nextAt = 0;
  }

  /** Resolves when the one under way is done. */
  idle(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /**
   * Makes one of this moment: all records before `position` were traced, and all their spans were taken.
   * @param spooled resolves when these are in the spools
   */
  make(position: number, spooled: Promise<void>): Promise<void> {
    const held = this.#held;
    if (held === undefined || this.#running !== undefined) return this.idle();
    const began = performance.now();
    const { tracks } = this.#parts.tracer;
    const isReplayed = tracks.sweep(began);
    const oldest = tracks.oldestNeeded(held.upTo);
    const state = `${position} ${oldest} ${this.#parts.drops.sum} ${JSON.stringify(this.#parts.cursors())}`;
    if (state === this.#last) return this.idle();
    const snapshot = this.#snapshot(position, held, isReplayed);
    const isFor = this.#renewal;
    const cost = performance.now() - began;
    this.#running = spooled
      .then(() => this.#write(snapshot, held, isFor))
      .then(
        () => {
          this.made++;
          // Another one is asked for, though nothing changed.
          this.#last = this.#renewal?.step === 'sweep' || this.#renewal !== isFor ? '' : state;
          if (this.#isFailing) this.#parts.onWarning('checkpoints are written again.');
          this.#isFailing = false;
        },
        (error) => this.#failed(error),
      )
      .finally(() => {
        this.#running = undefined;
        this.#nextAt = performance.now() + Math.max(EVERY_MILLIS, cost * COST_FACTOR);
      });
    return this.#running;
  }

  #snapshot(position: number, held: HeldRecords, isReplayed: (trace: Trace) => boolean): Snapshot {
    const { intake, drops, tracer, metrics } = this.#parts;
    const { bridge, tracks } = tracer;
    return {
      position,
      producers: intake.producers.save(),
      producersUpTo: intake.countedUpTo,
      drops: drops.save(),
      metrics: metrics?.save(),
      assembly: bridge.save(isReplayed),
      neededHeld: held.needed(tracks),
      needed: tracks.needed(held.upTo, position).flat(),
    };
  }

  /** @param isFor the renewal that was asked for when the snapshot was taken */
  async #write(snapshot: Snapshot, before: HeldRecords, isFor: Renewal | undefined): Promise<void> {
    const { position, assembly, neededHeld, needed, producers, producersUpTo, drops, metrics } = snapshot;
    const { file, flush, cursors, journal, tracer } = this.#parts;
    // What the spools cannot sync they write again the next time: until then the checkpoint before stays true.
    await flush();
    // In the place of a folder that was deleted, the checkpoint of somebody else may stand.
    await journal.check();
    let held = before;
    const oldest = tracer.tracks.oldestNeeded(held.upTo);
    const renewal = this.#renewal;
    const isRenewed = renewal?.step === 'write' && isFor === renewal && position >= renewal.from;
    const isHeldAnew = isRenewed && held.file !== undefined;
    if (isHeldAnew || position - Math.min(oldest, position) > 2 * HOLD_RECORDS) {
      held = await held.extended(journal, tracer.tracks, isHeldAnew ? position : position - HOLD_RECORDS);
      if (held.bytes > MOST_HELD_BYTES) this.#letGo(held);
    }
    const from = Math.max(held.upTo, Math.min(oldest, position));
    const checkpoint: Checkpoint = {
      version: 1,
      position,
      from,
      needed: [...neededHeld, ...needed],
      ...(held.file === undefined ? {} : { held: held.file }),
      assembly,
      producers,
      producersUpTo,
      drops,
      ...(metrics === undefined ? {} : { metrics }),
      spools: cursors(),
    };
    await file.save(checkpoint);
    if (held !== before) {
      this.#held = held;
      // The checkpoint before names the file before.
      await held.sweep([held.file, before.file]);
    } else if (renewal?.step === 'sweep' && isFor === renewal) {
      await held.sweep([held.file]);
      this.#renewal = undefined;
      for (const done of renewal.done) done();
    }
    if (isRenewed) renewal.step = 'sweep';
    this.settled = from;
    tracer.tracks.forgetBefore(from);
  }

  /** The trace with the most records is not held from the next checkpoint on; this one still has it. */
  #letGo({ serials }: HeldRecords): void {
    const counts = new Map<number, number>();
    for (const serial of serials) if (serial !== EVERY) counts.set(serial, (counts.get(serial) ?? 0) + 1);
    const [largest] = [...counts].sort(([, a], [, b]) => b - a);
    if (largest === undefined) return;
    this.#parts.tracer.tracks.drop(largest[0]);
    this.unheld++;
  }

  #failed(error: unknown): void {
    this.failures++;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#parts.onWarning(`no checkpoint can be written, a restart will take longer: ${String(error)}`);
  }
}
