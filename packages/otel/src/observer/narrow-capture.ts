import { redactText } from '@hermes-observer/core';
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { Capture } from '../attributes/capture.js';
import { CONTENT_ATTRIBUTES } from '../attributes/content-attributes.js';
import { exitReason } from '../attributes/exit-reason.js';
import { ATTR_HERMES_TURN_EXIT_REASON } from '../attributes/semconv.js';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import { viewOf } from './span-view.js';

/** Hands an exporter spans with less content than they carry. */
export class NarrowingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #narrow: (value: AttributeValue) => AttributeValue | undefined;
  readonly #capture: Capture;

  constructor(exporter: SpanExporter, capture: 'none' | 'redacted') {
    this.#exporter = exporter;
    this.#capture = capture;
    this.#narrow = capture === 'none' ? () => undefined : redacted;
  }

  export(spans: ReadableSpan[], resultCallback: Parameters<SpanExporter['export']>[1]): void {
    this.#exporter.export(
      spans.map((span) => this.#view(span)),
      resultCallback,
    );
  }

  #view(span: ReadableSpan): ReadableSpan {
    const { message } = span.status;
    const kept = message === undefined ? undefined : this.#narrow(message);
    return viewOf(span, {
      attributes: this.#attributes(span.attributes),
      events: span.events.map((event) => ({ ...event, attributes: this.#attributes(event.attributes ?? {}) })),
      status: typeof kept === 'string' ? { code: span.status.code, message: kept } : { code: span.status.code },
    });
  }

  #attributes(attributes: Attributes): Attributes {
    const narrowed: Attributes = {};
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) continue;
      if (name === ATTR_HERMES_TURN_EXIT_REASON && typeof value === 'string') {
        narrowed[name] = exitReason(value, this.#capture);
      } else {
        const kept = CONTENT_ATTRIBUTES.has(name) ? this.#narrow(value) : value;
        if (kept !== undefined) narrowed[name] = kept;
      }
    }
    return narrowed;
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

function redacted(value: AttributeValue): AttributeValue | undefined {
  if (typeof value === 'string') return redactText(value);
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? redactText(item) : String(item)))
    : value;
}
