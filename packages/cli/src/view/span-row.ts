import type { HrTime } from '@hermes-observer/core';
import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** Attributes as a viewer reads them: of an unknown source, so of any type. */
export type RowAttributes = Readonly<Record<string, unknown>>;

export interface RowEvent {
  readonly name: string;
  readonly time: HrTime;
  readonly attributes: RowAttributes;
}

export interface RowLink {
  readonly traceId: string;
  readonly attributes: RowAttributes;
}

/** A span as the viewer needs it, from whatever source. */
export interface SpanRow {
  readonly traceId: string;
  /** `''` where the source gave none; then nothing can hang under it. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly start: HrTime;
  /** `undefined` for a span that has not ended. */
  readonly end: HrTime | undefined;
  /** True when the status is ERROR. */
  readonly failed: boolean;
  readonly statusMessage: string | undefined;
  readonly attributes: RowAttributes;
  readonly events: readonly RowEvent[];
  readonly links: readonly RowLink[];
}

const NONE: readonly never[] = [];

export function rowOfSpan(span: ReadableSpan): SpanRow {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    name: span.name,
    start: span.startTime,
    end: span.ended ? span.endTime : undefined,
    failed: span.status.code === SpanStatusCode.ERROR,
    statusMessage: span.status.message,
    attributes: span.attributes,
    events: span.events.length === 0 ? NONE : span.events.map(eventOf),
    links: span.links.length === 0 ? NONE : span.links.map(linkOf),
  };
}

function eventOf({ name, time, attributes = {} }: ReadableSpan['events'][number]): RowEvent {
  return { name, time, attributes };
}

function linkOf({ context, attributes = {} }: ReadableSpan['links'][number]): RowLink {
  return { traceId: context.traceId, attributes };
}

/** The attribute if it is a string that is not empty. */
export function textOf(attributes: RowAttributes, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The attribute if it is a finite number. */
export function numberOf(attributes: RowAttributes, name: string): number | undefined {
  const value = attributes[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
