import type { TraceContext } from '@hermes-observer/core';
import type { BaggageEntry, Context, SpanContext } from '@opentelemetry/api';
import { createBaggage, setBaggage } from '../api/baggage.js';
import { ROOT_CONTEXT } from '../api/context.js';
import { setSpanContext } from '../api/trace.js';
import { createTraceState } from '../api/trace-state.js';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST_HEADER = 8192;

/** The caller's span from a W3C `traceparent`; `undefined` when it is malformed or names nothing. */
export function callerSpan(caller: TraceContext | undefined): SpanContext | undefined {
  const { traceparent, tracestate } = caller ?? {};
  if (typeof traceparent !== 'string' || traceparent.length > LONGEST_HEADER) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= LONGEST_HEADER) {
    span.traceState = createTraceState(tracestate);
  }
  return span;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A context with the caller's W3C baggage; the root context when there is none. */
export function callerBaggage(caller: TraceContext | undefined): Context {
  const baggage = caller?.baggage;
  if (typeof baggage !== 'string' || baggage === '' || baggage.length > LONGEST_HEADER) return ROOT_CONTEXT;
  const entries = new Map<string, BaggageEntry>();
  for (const member of baggage.split(',')) {
    const [pair = ''] = member.split(';');
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at > 0 && key !== '') entries.set(key, { value: decoded(pair.slice(at + 1).trim()) });
  }
  return setBaggage(ROOT_CONTEXT, createBaggage(entries));
}

/** The context a root span starts in: the caller's span and baggage. */
export function callerContext(caller: TraceContext | undefined): Context {
  const context = callerBaggage(caller);
  const span = callerSpan(caller);
  return span === undefined ? context : setSpanContext(context, span);
}
