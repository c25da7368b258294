import type { Span, SpanProcessor } from '@hermes-observer/otel';
import { CostCalculator, type CostOptions } from '../cost-calculator.js';

import { costAttributes } from './cost-attributes.js';

/**
 * Puts the cost on each chat span at its end, before any processor or exporter gets it: metrics, logs and all exporters see the
 * same. For `processors` of `createObserver`, for a provider of the OpenTelemetry SDK 2.x, and of 3.x.
 */
export class CostSpanProcessor implements SpanProcessor {
  /** Spans that could not be read, and have no cost. */
  failedSpans = 0;
  readonly #calculator: CostCalculator;

  /** @throws ObserverError `HO_OPTION` for a price that is wrong. */
  constructor(options: CostOptions | CostCalculator = {}) {
    this.#calculator = options instanceof CostCalculator ? options : new CostCalculator(options);
  }

  onStart(): void {}

  onEnding(span: Span): void {
    // To read attributes costs, and requests go to a server.
    if (span.kind !== CLIENT) return;
    try {
      const cost = costAttributes(span.attributes, span.startTime, this.#calculator);
      if (cost !== undefined) span.setAttributes(cost);
    } catch {
      // A provider of the SDK would throw it into the agent.
      this.failedSpans++;
    }
  }

  onEnd(): void {}
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

const CLIENT = 2;
