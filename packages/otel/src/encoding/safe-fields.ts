import { safeTime } from '@hermes-observer/core';
import type { HrTime, Link, SpanContext } from '@opentelemetry/api';
import { isSpanContextValid } from '../api/span-context.js';
import { sha256 } from '../provider/sha-256.js';
import { copySpan } from '../sdk/copy-span.js';
import type { ReadableSpan, TimedEvent } from '../sdk/types.js';

const NANOS = 1_000_000_000;
/** Whole seconds that any number of nanoseconds of one second may be added to. */
const LAST_SECOND = 18_446_744_072;
const MOST_DROPPED = 2 ** 32 - 1;

// Receivers refuse a whole request for one that it cannot hold: times are from 0 to 2^64 - 1 ns, counts have 32 bits, kinds and
// status codes are known ones, ids have the right length. An id that is none becomes one that is made of it, so that spans of
// one trace stay together; a parent or link that names none is left out.
/** `span`, or a copy whose fields OTLP can hold. */
export function withSafeFields(span: ReadableSpan): ReadableSpan {
  return isSafe(span) ? span : mended(span);
}

/** The last parent that was found to be valid: spans below one come one after the other. */
let knownParent: SpanContext | undefined;

function isSafe(span: ReadableSpan): boolean {
  const { parentSpanContext: parent } = span;
  if (!isTime(span.startTime) || !isTime(span.endTime)) return false;
  if (!isIn(span.kind, 4) || !isIn(span.status.code, 2)) return false;
  if (!isCount(span.droppedAttributesCount) || !isCount(span.droppedEventsCount)) return false;
  if (!isCount(span.droppedLinksCount) || !isSpanContextValid(span.spanContext())) return false;
  if (parent !== undefined && parent !== knownParent) {
    if (!isSpanContextValid(parent)) return false;
    knownParent = parent;
  }
  for (const event of span.events) if (!isSafeEvent(event)) return false;
  for (const link of span.links) if (!isSafeLink(link)) return false;
  return true;
}

const isIn = (value: unknown, most: number) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
const isCount = (value: unknown) => isIn(value, MOST_DROPPED);
const isTime = ([seconds, nanos]: HrTime) => isIn(seconds, LAST_SECOND) && isIn(nanos, NANOS - 1);
const isSafeEvent = (event: TimedEvent) => isTime(event.time) && isCount(event.droppedAttributesCount ?? 0);
const isSafeLink = (link: Link) => isSpanContextValid(link.context) && isCount(link.droppedAttributesCount ?? 0);

function mended(span: ReadableSpan): ReadableSpan {
  const context = safeContext(span.spanContext());
  const parent = span.parentSpanContext;
  const links = span.links.filter((link) => isSpanContextValid(link.context));
  const { parentSpanContext: _, ...copy } = copySpan(span, {
    kind: isIn(span.kind, 4) ? span.kind : 0,
    spanContext: () => context,
    startTime: safeTime(span.startTime),
    endTime: safeTime(span.endTime),
    status: isIn(span.status.code, 2) ? span.status : { ...span.status, code: 0 },
    events: span.events.map((event) => ({
      ...event,
      time: safeTime(event.time),
      droppedAttributesCount: safeCount(event.droppedAttributesCount ?? 0),
    })),
    links: links.map((link) => ({ ...link, droppedAttributesCount: safeCount(link.droppedAttributesCount ?? 0) })),
    droppedAttributesCount: safeCount(span.droppedAttributesCount),
    droppedEventsCount: safeCount(span.droppedEventsCount),
    droppedLinksCount: safeCount(safeCount(span.droppedLinksCount) + span.links.length - links.length),
  });
  return parent === undefined || !isSpanContextValid(parent) ? copy : { ...copy, parentSpanContext: parent };
}

function safeContext(context: SpanContext): SpanContext {
  if (isSpanContextValid(context)) return context;
  const probe = { traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 0 };
  const { traceId, spanId } = context;
  return {
    ...context,
    traceId: isSpanContextValid({ ...probe, traceId }) ? traceId : hash(traceId, 32),
    spanId: isSpanContextValid({ ...probe, spanId }) ? spanId : hash(spanId, 16),
  };
}

const hash = (id: unknown, digits: number) => sha256(String(id)).slice(0, digits);

function safeCount(count: number): number {
  return count > 0 ? Math.min(Math.floor(count), MOST_DROPPED) : 0;
}
