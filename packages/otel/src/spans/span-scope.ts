import type { Context, Span } from '@opentelemetry/api';
import { ROOT_CONTEXT } from '../api/context.js';
import { SPAN_KEY, setSpan } from '../api/trace.js';

/**
 * A context with a span in it, as `setSpan(base, span)` gives it. A tracer asks a context several times for each
 * span it starts, and a plain one looks each time into a map.
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
    return setSpan(this.#base, this.#span).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return setSpan(this.#base, this.#span).deleteValue(key);
  }
}
