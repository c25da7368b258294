import { formatUnixNano, type HookRecord, type HrTime } from '@hermes-observer/core';
import type { ClockLimits } from '@hermes-observer/otel';
import type { Intake } from '../intake/intake.js';
import type { Producer } from '../intake/producers.js';
import type { Tracer } from './tracer.js';

export interface ClockWatchOptions {
  readonly tracer: Tracer;
  readonly intake: Intake;
  readonly limits: ClockLimits;
  readonly graceMillis: number;
  readonly silenceMillis: number;
  readonly now: () => HrTime;
}

const MOST_ENDS = 600;

/**
 * What the clock decides: that a turn or trace is over of which nothing comes any more, and that a producer is gone. Each
 * decision is written to the journal, and acts when it is read from there. Silence is measured by when records came in,
 * on the monotonic clock: neither a clock that is set nor records that are sent late make anything seem silent.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  decisions = 0;
  #isWriting = false;
  /** When the journal ended where. */
  #ends: { readonly at: number; readonly next: number }[] = [];
  #tracedAt = 0;
  #hasDecided = false;
  #undoneBefore = 0;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  /**
   * Decides what is due; to be called once a second or so. What came in and was not traced yet may be of any trace: silence
   * is counted up to the moment at which all was traced that had come in.
   * @param position of the next record that is traced. @param next of the next record that comes in.
   */
  async look(position: number, next: number): Promise<void> {
    this.#ends.push({ at: performance.now(), next });
    while (this.#ends[0] !== undefined && this.#ends[0].next <= position) {
      this.#tracedAt = this.#ends.shift()?.at ?? 0;
    }
    // As long as nothing is traced, one of them is enough.
    if (this.#ends.length > MOST_ENDS) this.#ends.splice(1, 1);
    if (this.#hasDecided) this.#undoneBefore = next;
    this.#hasDecided = false;
    // What was decided has to act before it would be decided again.
    if (this.#isWriting || position < this.#undoneBefore) return;
    const due = this.#due();
    if (due.length === 0) return;
    this.#isWriting = true;
    try {
      await this.#options.intake.takeOwn(due);
      this.decisions += due.length;
      this.#hasDecided = true;
    } catch {
      // The disk is full: what is open stays so until it can be written down.
    } finally {
      this.#isWriting = false;
    }
  }

  #due(): HookRecord[] {
    const { tracer, limits, now } = this.#options;
    const time = formatUnixNano(now());
    const record = (payload: Readonly<Record<string, unknown>>): HookRecord => ({
      hook: 'observer_closed',
      time_unix_nano: time,
      payload,
    });
    const gone = [...tracer.bridge.openProducers].filter((id) => this.#isGone(id));
    const lost = gone.map((key) => record({ scope: 'producer', key, reason: 'producer_lost' }));
    const due = tracer.bridge.dueByArrival(this.#tracedAt, limits).map((decision) => record({ ...decision }));
    return [...lost, ...due];
  }

  #isGone(id: string): boolean {
    const { intake, graceMillis, silenceMillis } = this.#options;
    const producer: Producer | undefined = id === '' ? undefined : intake.producers.find(id);
    // One that is forgotten is left to the idle time.
    if (producer === undefined || producer.connections > 0) return false;
    const silence = performance.now() - producer.heardAt;
    return silence >= (producer.wasConnected ? graceMillis : silenceMillis);
  }
}
