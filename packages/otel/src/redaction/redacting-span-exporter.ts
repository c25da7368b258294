import type { RedactionKind } from '@hermes-observer/core';
import type { ExportResult, ReadableSpan, SpanExporter } from '../sdk/types.js';
import type { SpanRedactionOptions } from './options.js';
import { SpanRedactor } from './span-redactor.js';

/**
 * Gives another exporter spans without secrets and personal data. A standard exporter, for any SDK:
 *
 * ```ts
 * new BatchSpanProcessor(new RedactingSpanExporter(new OTLPTraceExporter(), { keys: ['customerName'] }));
 * ```
 */
export class RedactingSpanExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #redactor: SpanRedactor;
  /** Spans that could not even be copied. */
  leftOutSpans = 0;

  /** @throws ObserverError `HO_OPTION` for a wrong option, `HO_PEER_MISSING` for `paths` without `@pinojs/redact`. */
  constructor(exporter: SpanExporter, options: SpanRedactionOptions = {}) {
    this.#exporter = exporter;
    this.#redactor = new SpanRedactor(options);
  }

  /** How often each kind was redacted so far: for a metric. */
  get counts(): Readonly<Partial<Record<RedactionKind, number>>> {
    return this.#redactor.counts;
  }

  get redactedValues(): number {
    return this.#redactor.redactedValues;
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    const redacted: ReadableSpan[] = [];
    for (const span of spans) {
      try {
        redacted.push(this.#redactor.redact(span));
      } catch {
        this.leftOutSpans++;
      }
    }
    if (redacted.length === 0) resultCallback({ code: 0 });
    else this.#exporter.export(redacted, resultCallback);
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }
}
