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

function callerIn(context: Context): TraceContext | undefined {
  const span = getSpanContext(context);
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const tracestate = span.traceState?.serialize();
  const baggage = baggageHeader(getBaggage(context));
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate ? { tracestate } : {}),
    ...(baggage ? { baggage } : {}),
  };
}

function baggageHeader(baggage: Baggage | undefined): string | undefined {
  return baggage
    ?.getAllEntries()
    .map(([key, { value }]) => `${key}=${encodeURIComponent(wellFormed(value))}`)
    .join(',');
}
