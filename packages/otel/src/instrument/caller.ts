import { type TraceContext, wellFormed } from '@hermes-observer/core';
import type { Baggage, Context } from '@opentelemetry/api';
import { getBaggage } from '../api/baggage.js';
import { active } from '../api/context.js';
import { isSpanContextValid } from '../api/span-context.js';
import { getSpanContext } from '../api/trace.js';

/** The span that is active now as the caller of a turn, with its baggage; `undefined` when none is, or none can be read. */
export function activeCaller(): TraceContext | undefined {
  try {
    return callerIn(active());
  } catch {
    return undefined;
  }
}

/**
 * The span of a context and its baggage as W3C headers; `undefined` when it has no span.
 * @param allowed names of baggage. @default all
 */
export function callerIn(context: Context, allowed?: readonly string[]): TraceContext | undefined {
  const span = getSpanContext(context);
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const tracestate = span.traceState?.serialize();
  const baggage = baggageHeader(getBaggage(context), allowed);
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate ? { tracestate } : {}),
    ...(baggage ? { baggage } : {}),
  };
}

function baggageHeader(baggage: Baggage | undefined, allowed: readonly string[] | undefined): string | undefined {
  return baggage
    ?.getAllEntries()
    .filter(([key]) => allowed?.includes(key) ?? true)
    .map(([key, { value }]) => `${key}=${encodeURIComponent(wellFormed(value))}`)
    .join(',');
}
