import type { SpanContext } from '@opentelemetry/api';
import { createTraceState } from '../api/trace-state.js';

/** The context of a span as JSON can hold it. */
export interface SavedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: string;
}

export function saveContext({ traceId, spanId, traceFlags, traceState }: SpanContext): SavedSpan {
  return { traceId, spanId, traceFlags, ...(traceState === undefined ? {} : { traceState: traceState.serialize() }) };
}

/** `undefined` for what is no saved context. */
export function restoreContext(saved: unknown): SpanContext | undefined {
  if (typeof saved !== 'object' || saved === null) return undefined;
  const { traceId, spanId, traceFlags, traceState } = saved as Partial<SavedSpan>;
  if (typeof traceId !== 'string' || typeof spanId !== 'string' || typeof traceFlags !== 'number') return undefined;
  const context: SpanContext = { traceId, spanId, traceFlags };
  if (typeof traceState === 'string') context.traceState = createTraceState(traceState);
  return context;
}
