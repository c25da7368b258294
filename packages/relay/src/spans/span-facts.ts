import type { HrTime } from '@hermes-observer/core';
import { type ReadableSpan, withSafeFields } from '@hermes-observer/otel';
import { plainAttributes } from './plain-value.js';

/** What ATOF and ATIF are made of: an ended span as plain data, whatever it was read from. */
export interface SpanFacts {
  readonly traceId: string;
  readonly spanId: string;
  /** Span of this process that it hangs below. */
  readonly parentId?: string;
  /** Span of another process that it hangs below. */
  readonly remoteParentId?: string;
  readonly name: string;
  readonly start: HrTime;
  readonly end: HrTime;
  readonly isError: boolean;
  readonly statusMessage?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly EventFacts[];
  readonly links: readonly LinkFacts[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface EventFacts {
  readonly name: string;
  readonly time: HrTime;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface LinkFacts {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The number of an error in the API's `SpanStatusCode`. */
export const STATUS_ERROR = 2;

/**
 * A span of our provider, of the SDK 2.x or of the SDK 3.x. Times, ids and values that no file can hold become what they become
 * in OTLP.
 */
export function factsOf(ended: ReadableSpan): SpanFacts {
  const span = withSafeFields(ended);
  const { traceId, spanId } = span.spanContext();
  const parent = span.parentSpanContext;
  return {
    traceId,
    spanId,
    ...(parent !== undefined && (parent.isRemote ? { remoteParentId: parent.spanId } : { parentId: parent.spanId })),
    name: span.name,
    start: [...span.startTime],
    end: [...span.endTime],
    isError: span.status.code === STATUS_ERROR,
    ...(span.status.message !== undefined && { statusMessage: span.status.message }),
    attributes: plainAttributes(span.attributes),
    events: span.events.map(({ name, time, attributes = {} }) => ({
      name,
      time: [...time],
      attributes: plainAttributes(attributes),
    })),
    links: span.links.map(({ context, attributes = {} }) => ({
      traceId: context.traceId,
      spanId: context.spanId,
      attributes: plainAttributes(attributes),
    })),
    resource: span.resource.attributes,
  };
}
