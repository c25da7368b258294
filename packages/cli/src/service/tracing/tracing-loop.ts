import type { Checkpointer } from '../checkpoint/checkpointer.js';
import type { Delivery } from '../delivery/delivery.js';
import { type Journal, LOST_RECORD } from '../journal/journal.js';
import type { Stretch } from '../journal/tail.js';
import { within } from '../within.js';
import type { Tracer } from './tracer.js';

/** Records handled until others get their turn. */
const SLICE = 256;
/** Spans that are worth a request of their own. */
const ENOUGH_SPANS = 512;
/** With fewer, it waits so long for more. */
const GATHER_MILLIS = 50;
const READ_AGAIN_MILLIS = 1_000;

export interface LoopOptions {
  readonly journal: Journal;
  readonly tracer: Tracer;
  readonly delivery: Delivery;
  readonly checkpointer: Checkpointer;
  /** Brings the tracer to `position`. */
  readonly recover: () => Promise<void>;
  /** Position to begin with. */
  readonly position: number;
  readonly onWarning: (text: string) => void;
}

/** Follows the journal: records to the tracer, spans to the spools, and checkpoints between two records. */
export class TracingLoop {
  readonly #options: LoopOptions;
  #position: number;
  /** All before this was handed to the spools. */
  #flushed: number;
  #flushedAt = 0;
  /** All before this is in the spools. */
  #spooled: number;
  #added: Promise<void> = Promise.resolve();
  /** Positions at which a stretch must end. */
  #boundaries: number[];
  #isRecovered = false;
  #isStopping = false;
  #stopAt = Number.POSITIVE_INFINITY;
  spans = 0;
  /** Records that damage of the journal took before they were traced. */
  lostRecords = 0;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#flushed = options.position;
    this.#spooled = options.position;
    this.#boundaries = [...options.delivery.boundaries].filter((at) => at > options.position).sort((a, b) => a - b);
  }

  /** Position of the next record that is traced. */
  get position(): number {
    return this.#position;
  }

  /** All records before this are traced, and their spans in the spools. */
  get spooled(): number {
    return this.#spooled;
  }

  /** All that was there before has been made again. */
  get isRecovered(): boolean {
    return this.#isRecovered;
  }

  /** Ends when all is traced after `finish`, or when its time is over. @throws Error of a recovery that failed. */
  async run(): Promise<void> {
    const { journal, checkpointer, delivery, recover } = this.#options;
    await recover();
    this.#isRecovered = true;
    for (;;) {
      const stretch = await this.#read();
      if (stretch !== undefined) await this.#trace(stretch);
      const isLate = performance.now() >= this.#stopAt;
      const isDone = this.#isStopping && (isLate || (stretch === undefined && this.#position >= journal.next));
      if (isDone) break;
      if (stretch === undefined && this.#gathers()) {
        await within(journal.follow(this.#position), GATHER_MILLIS);
        continue;
      }
      if (stretch === undefined || this.#options.tracer.waiting >= ENOUGH_SPANS) this.#flush();
      if (checkpointer.isDue) {
        this.#flush();
        void checkpointer.make(this.#position, this.#added);
      }
      if (stretch === undefined) await journal.follow(this.#position);
      else await nextTurn();
      while (!delivery.hasRoom && performance.now() < this.#stopAt) await within(this.#added, GATHER_MILLIS);
    }
    this.#flush();
  }

  /** Traces what is there and ends. @param millis the time for it */
  finish(millis: number): void {
    this.#isStopping = true;
    this.#stopAt = performance.now() + millis;
    this.#options.journal.wake();
  }

  /** Resolves when all that was traced so far is in the spools. */
  added(): Promise<void> {
    return this.#added;
  }

  async #read(): Promise<Stretch | undefined> {
    const { journal, onWarning } = this.#options;
    try {
      return await journal.read(this.#position);
    } catch (error) {
      onWarning(`the journal cannot be read, it is tried again: ${String(error)}`);
      await within(new Promise(() => {}), READ_AGAIN_MILLIS);
      return undefined;
    }
  }

  async #trace({ first, records }: Stretch): Promise<void> {
    const { tracer } = this.#options;
    const { watch } = tracer.bridge;
    // The journal has lost what lies between.
    if (first > this.#position) tracer.tracks.skipTo(first);
    this.#position = first;
    for (let i = 0; i < records.length; i++) {
      watch.arrival = performance.now();
      const end = Math.min(records.length, i + SLICE);
      for (; i < end; i++) {
        const record = records[i] as (typeof records)[number];
        if (record === LOST_RECORD) this.lostRecords++;
        tracer.handle(record);
        this.#position++;
        if (this.#position === this.#boundaries[0]) {
          this.#boundaries.shift();
          this.#flush();
        }
      }
      i--;
      if (tracer.waiting >= ENOUGH_SPANS) this.#flush();
      if (end < records.length) await nextTurn();
    }
  }

  /** There are spans, and others that go with them may be near. */
  #gathers(): boolean {
    return (
      !this.#isStopping &&
      this.#position > this.#flushed &&
      this.#options.tracer.waiting > 0 &&
      performance.now() - this.#flushedAt < GATHER_MILLIS
    );
  }

  #flush(): void {
    if (this.#position === this.#flushed) return;
    const { tracer, delivery } = this.#options;
    const spans = tracer.takeSpans();
    const upTo = this.#position;
    const added = delivery.add(spans, this.#flushed, upTo, tracer.takeEvaluations());
    this.spans += spans.length;
    this.#flushed = upTo;
    this.#flushedAt = performance.now();
    this.#added = Promise.all([this.#added, added]).then(() => {
      this.#spooled = upTo;
    });
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
