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

/**
 * What the clock decides: that a turn or trace is over of which nothing comes any more, and that a producer is gone. Each
 * decision is written to the journal, and acts when it is read from there. Silence is measured by when records came in,
 * on the monotonic clock: neither a clock that is set nor records that are sent late make anything seem silent.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  decisions = 0;
  #isWriting = false;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  /** Decides what is due. To be called now and then, when all records that are there were traced. */
  async look(): Promise<void> {
    if (this.#isWriting) return;
    const due = this.#due();
    if (due.length === 0) return;
    this.#isWriting = true;
    try {
      await this.#options.intake.takeOwn(due);
      this.decisions += due.length;
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
    const due = tracer.bridge.dueByArrival(performance.now(), limits).map((decision) => record({ ...decision }));
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
