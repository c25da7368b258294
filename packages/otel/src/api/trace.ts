import type { Context, Span, SpanContext } from '@opentelemetry/api';
import { contextKey } from './context.js';

/** The key of a context's span. */
export const SPAN_KEY = contextKey('OpenTelemetry Context Key SPAN');

/** A span that another process made, or that is not sampled: it has ids and takes nothing. */
class UnrecordedSpan implements Span {
  readonly #context: SpanContext;

  constructor(context: SpanContext) {
    this.#context = context;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  isRecording(): boolean {
    return false;
  }

  setAttribute(): this {
    return this;
  }

  setAttributes(): this {
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(): this {
    return this;
  }

  updateName(): this {
    return this;
  }

  end(): void {}

  recordException(): void {}
}

/** A span of these ids that takes nothing. */
export const wrapSpanContext = (context: SpanContext): Span => new UnrecordedSpan(context);

export const getSpan = (context: Context): Span | undefined =>
  (context.getValue(SPAN_KEY) as Span | undefined) || undefined;

export const getSpanContext = (context: Context): SpanContext | undefined => getSpan(context)?.spanContext();

export const setSpan = (context: Context, span: Span): Context => context.setValue(SPAN_KEY, span);

export const setSpanContext = (context: Context, span: SpanContext): Context => setSpan(context, wrapSpanContext(span));

export const deleteSpan = (context: Context): Context => context.deleteValue(SPAN_KEY);
