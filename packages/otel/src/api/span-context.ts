import type { SpanContext } from '@opentelemetry/api';

export const INVALID_TRACE_ID = '00000000000000000000000000000000';
export const INVALID_SPAN_ID = '0000000000000000';

/** Bits of `traceFlags`. */
export const NOT_SAMPLED = 0;
export const SAMPLED = 1;

export const INVALID_SPAN_CONTEXT: SpanContext = Object.freeze({
  traceId: INVALID_TRACE_ID,
  spanId: INVALID_SPAN_ID,
  traceFlags: NOT_SAMPLED,
});

/** The last trace id that was found to be valid: spans of one trace come one after the other. */
let knownTraceId: string | undefined;

/** Whether both ids are hex digits, of the right number, and not all zero. */
export function isSpanContextValid({ traceId, spanId }: SpanContext): boolean {
  if (traceId === undefined || traceId !== knownTraceId) {
    if (!isId(traceId, INVALID_TRACE_ID)) return false;
    knownTraceId = traceId;
  }
  return isId(spanId, INVALID_SPAN_ID);
}

function isId(id: unknown, none: string): boolean {
  if (typeof id !== 'string' || id.length !== none.length || id === none) return false;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    const letter = code | 0x20;
    if ((code < 48 || code > 57) && (letter < 97 || letter > 102)) return false;
  }
  return true;
}
