import { type Context, createContextKey, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';

/** The key that the API keeps a context's span under: context keys of the API are global symbols of their text. */
const SPAN_KEY = createContextKey('OpenTelemetry Context Key SPAN');

/**
 * A context with a span in it, as `trace.setSpan(base, span)` gives it. A tracer asks a context several times for each
 * span it starts, and the API's own looks each time into a map.
 */
export class SpanScope implements Context {
  readonly #span: Span;
  readonly #base: Context;

  constructor(span: Span, base: Context) {
    this.#span = span;
    this.#base = base;
  }

  getValue(key: symbol): unknown {
    if (key === SPAN_KEY) return this.#span;
    return this.#base === ROOT_CONTEXT ? undefined : this.#base.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return trace.setSpan(this.#base, this.#span).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return trace.setSpan(this.#base, this.#span).deleteValue(key);
  }
}
