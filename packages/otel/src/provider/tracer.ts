import type {
  Attributes,
  Context,
  HrTime,
  Link,
  Span,
  SpanContext,
  SpanKind,
  SpanOptions,
  Tracer,
} from '@opentelemetry/api';
import { active, run, SUPPRESS_TRACING } from '../api/context.js';
import { INTERNAL } from '../api/span-codes.js';
import {
  INVALID_SPAN_CONTEXT,
  INVALID_SPAN_ID,
  INVALID_TRACE_ID,
  isSpanContextValid,
  NOT_SAMPLED,
  SAMPLED,
} from '../api/span-context.js';
import { deleteSpan, getSpan, setSpan, wrapSpanContext } from '../api/trace.js';
import { cleanAttributes, countIfClean } from './attribute-values.js';
import { toHrTime } from './clock.js';
import { randomSpanId, randomTraceId } from './random-ids.js';
import { ObserverSpan, type SpanIdSource } from './span.js';
import { startedSpan } from './started-span.js';
import type { TracerHost } from './tracer-host.js';

/** What a caller who knows more than the API asks for may add. */
export interface ObserverSpanOptions extends SpanOptions {
  /**
   * Lower-case hex ids of the span (32 and 16 digits). Below a parent the trace id is the parent's, whatever stands
   * here. Only length and not being all zero are checked; an id that fails is replaced by a random one. Default: random.
   */
  ids?: { readonly traceId: string; readonly spanId: string };
  /**
   * The `attributes` object becomes the span's own, and is not copied. The caller made it for this span, lets it be
   * extended, and does not use it again. An object with values a span cannot hold is copied all the same.
   * Default: false.
   */
  takeAttributes?: boolean;
  /**
   * With `takeAttributes`: the caller vouches that every attribute is valid, and that there are no more than this many.
   * Spares the check of each. Ignored where the limits of the provider are narrower.
   */
  attributesAtMost?: number | undefined;
}

// The numbers of the standard `SamplingDecision`.
const NOT_RECORD = 0;
const RECORD_AND_SAMPLED = 2;

const NO_OPTIONS: ObserverSpanOptions = Object.freeze({});

export class ObserverTracer implements Tracer {
  readonly #host: TracerHost;
  /** The context of the last foreign parent. Checking 48 hex digits costs more than the rest of a start. */
  #knownParent: SpanContext | undefined;

  /** @internal */
  constructor(host: TracerHost) {
    this.#host = host;
  }

  startSpan(name: string, options: ObserverSpanOptions = NO_OPTIONS, context: Context = active()): Span {
    const host = this.#host;
    const parentContext = options.root === true ? deleteSpan(context) : context;
    if (parentContext.getValue(SUPPRESS_TRACING) === true) return wrapSpanContext(INVALID_SPAN_CONTEXT);
    const parent = this.#validContext(getSpan(parentContext));
    if (host.isShutdown) return wrapSpanContext(parent ?? INVALID_SPAN_CONTEXT);

    const { ids } = options;
    const kind = options.kind ?? INTERNAL;
    const traceId =
      parent !== undefined
        ? parent.traceId
        : ids !== undefined && ids.traceId.length === 32 && ids.traceId !== INVALID_TRACE_ID
          ? ids.traceId
          : randomTraceId();
    const spanId =
      ids !== undefined && ids.spanId.length === 16 && ids.spanId !== INVALID_SPAN_ID ? ids.spanId : randomSpanId();
    let attributes = options.attributes;
    let taken = options.takeAttributes === true;
    const atMost = host.sampler === undefined ? options.attributesAtMost : undefined;
    let decision: number = followParent(parent);
    let traceState = parent?.traceState;
    if (host.sampler !== undefined) {
      attributes = samplerAttributes(attributes, taken);
      taken = true;
      try {
        const links = (options.links ?? []) as Link[];
        const result = host.sampler.shouldSample(parentContext, traceId, name, kind, attributes, links);
        if (result.attributes) Object.assign(attributes, result.attributes);
        traceState = result.traceState ?? traceState;
        decision = result.decision;
      } catch (error) {
        host.samplerFailed(error);
      }
    }
    const traceFlags = decision === RECORD_AND_SAMPLED ? SAMPLED : NOT_SAMPLED;
    if (decision === NOT_RECORD && !host.recordUnsampled) {
      return wrapSpanContext({ traceId, spanId, traceFlags, traceState } as SpanContext);
    }
    const span = startedSpan(
      host,
      traceId,
      spanId,
      traceFlags,
      traceState,
      parent,
      name,
      kind,
      options.startTime,
      attributes,
      taken,
      atMost,
      options.links,
    );
    host.started(span, parentContext);
    return span;
  }

  /**
   * `startSpan` for who knows all of it: an id that `id` makes of a key and an ordinal, attributes that are valid and the span's own, and a parent
   * that is the span of `context`. `undefined` when the usual way has to be taken, since a sampler is to be asked, the
   * trace is not sampled or has a state, attributes may be over a limit, or the provider was shut down. Spares the objects
   * and checks of the options.
   * @internal
   */
  startKnown(
    name: string,
    kind: SpanKind,
    startTime: HrTime,
    attributes: Attributes,
    attributesAtMost: number,
    parent: SpanContext,
    context: Context,
    id: SpanIdSource,
    idKey: string,
    idOrdinal: number,
  ): ObserverSpan | undefined {
    const host = this.#host;
    if (host.sampler !== undefined || host.isShutdown || !host.hasRoomFor(attributesAtMost)) return undefined;
    if ((parent.traceFlags & SAMPLED) === 0 || parent.traceState !== undefined) return undefined;
    const span = new ObserverSpan(
      host,
      undefined,
      id,
      idKey,
      idOrdinal,
      parent,
      name,
      kind,
      toHrTime(startTime),
      attributes,
      attributesAtMost,
    );
    host.started(span, context);
    return span;
  }

  startActiveSpan<F extends (span: Span) => unknown>(name: string, fn: F): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(name: string, options: SpanOptions, fn: F): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    options: SpanOptions,
    context: Context,
    fn: F,
  ): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(name: string, ...rest: unknown[]): ReturnType<F> {
    const fn = rest[rest.length - 1] as (span: Span) => ReturnType<F>;
    const options = rest.length > 1 ? (rest[0] as ObserverSpanOptions | undefined) : undefined;
    const parentContext = (rest.length > 2 ? (rest[1] as Context | undefined) : undefined) ?? active();
    const span = this.startSpan(name, options, parentContext);
    return run(setSpan(parentContext, span), () => fn(span));
  }

  #validContext(span: Span | undefined): SpanContext | undefined {
    if (span === undefined) return undefined;
    const context = span.spanContext();
    if (span instanceof ObserverSpan || context === this.#knownParent) return context;
    if (!isSpanContextValid(context)) return undefined;
    this.#knownParent = context;
    return context;
  }
}

/** The default of the SDK, `ParentBased(AlwaysOn)`: as the parent was, and every root. */
function followParent(parent: SpanContext | undefined): number {
  return parent === undefined || (parent.traceFlags & SAMPLED) !== 0 ? RECORD_AND_SAMPLED : NOT_RECORD;
}

/** A sampler may change the attributes it is shown, so a caller's object is never shown to it. */
function samplerAttributes(attributes: Attributes | undefined, taken: boolean): Attributes {
  const unlimited = Number.POSITIVE_INFINITY;
  if (taken && attributes !== undefined && countIfClean(attributes, unlimited, unlimited, false) >= 0)
    return attributes;
  return cleanAttributes(attributes, unlimited, unlimited).attributes;
}
