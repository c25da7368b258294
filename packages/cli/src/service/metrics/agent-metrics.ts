import type { HrTime } from '@hermes-observer/core';
import type { SpanRedactor } from '@hermes-observer/otel';
import { CumulativeMeters, MetricSpanProcessor, type SavedMeters } from '@hermes-observer/signals';
import type { ScopeMetrics } from '@opentelemetry/sdk-metrics';
import type { Count } from '../ports.js';

/**
 * Metrics of agents, as a function of the journal: what is counted is in the checkpoint, and a restart goes on from there,
 * so that no span is counted twice, and none is left out.
 */
export class AgentMetrics {
  readonly processor: MetricSpanProcessor;
  readonly #meters: CumulativeMeters;
  readonly #isCaughtUp: () => boolean;
  #wasCaughtUp = false;

  /**
   * @param startTime of a first run
   * @param isCaughtUp whether all is traced that was there at the start: before that, counts may lie behind those that were
   * told before a crash, which would look like a new beginning
   */
  constructor(
    startTime: HrTime,
    redactor: SpanRedactor | undefined,
    isCaughtUp: () => boolean,
    onError: (error: unknown) => void,
  ) {
    this.#meters = new CumulativeMeters(startTime);
    const redact = redactor === undefined ? undefined : redactor.redact.bind(redactor);
    this.processor = new MetricSpanProcessor(this.#meters, { redact, onError, isDeferred: false });
    this.#isCaughtUp = isCaughtUp;
  }

  restore(saved: SavedMeters): void {
    this.#meters.restore(saved);
  }

  save(): SavedMeters {
    return this.#meters.save();
  }

  /** What is not in the metrics, or not by its own labels. */
  counts(): Count[] {
    const { failedSpans, seriesCounts } = this.processor;
    const help = 'Measurements of agents that found all series taken, and are in the overflow series.';
    return [
      { name: 'unmeasured_spans', help: 'Spans that metrics of agents could not be made of.', value: failedSpans },
      { name: 'overflowed_measurements', help, value: seriesCounts.overflowed },
    ];
  }

  /** `undefined` while what was there at the start is being traced. */
  collect(time: HrTime): ScopeMetrics | undefined {
    this.#wasCaughtUp ||= this.#isCaughtUp();
    return this.#wasCaughtUp ? this.#meters.collect(time) : undefined;
  }
}
