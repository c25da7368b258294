import type { Link, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan, TimedEvent } from '../sdk/types.js';
import { writeAttributes } from './protobuf-value.js';
import type { ProtobufWriter } from './protobuf-writer.js';
import { spanFlags } from './span-flags.js';

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto, with their wire types. */
export const SPAN = {
  traceId: 0x0a,
  spanId: 0x12,
  traceState: 0x1a,
  parentSpanId: 0x22,
  name: 0x2a,
  kind: 0x30,
  start: 0x39,
  end: 0x41,
  attributes: 0x4a,
  droppedAttributes: 0x50,
  events: 0x5a,
  droppedEvents: 0x60,
  links: 0x6a,
  droppedLinks: 0x70,
  status: 0x7a,
} as const;
/** Field 16, as two bytes: 0x85 0x01. */
const FLAGS = Uint8Array.of(0x85, 0x01);
const EVENT = { time: 0x09, name: 0x12, attributes: 0x1a, dropped: 0x20 } as const;
const LINK = { traceId: 0x0a, spanId: 0x12, traceState: 0x1a, attributes: 0x22, dropped: 0x28, flags: 0x35 } as const;
export const STATUS = { message: 0x12, code: 0x18 } as const;

/** The fields of a `Span`. What is zero or empty is left out, as protobuf has it. */
export function writeSpan(writer: ProtobufWriter, span: ReadableSpan): void {
  const context = span.spanContext();
  const { parentSpanContext: parent, startTime, endTime, status } = span;
  writer.hex(SPAN.traceId, context.traceId);
  writer.hex(SPAN.spanId, context.spanId);
  writeState(writer, SPAN.traceState, context);
  if (parent?.spanId) writer.hex(SPAN.parentSpanId, parent.spanId);
  writer.string(SPAN.name, String(span.name));
  writer.uint(SPAN.kind, span.kind + 1);
  writer.time(SPAN.start, startTime[0], startTime[1]);
  writer.time(SPAN.end, endTime[0], endTime[1]);
  writeAttributes(writer, SPAN.attributes, span.attributes);
  writeCount(writer, SPAN.droppedAttributes, span.droppedAttributesCount);
  for (const event of span.events) writeEvent(writer, event);
  writeCount(writer, SPAN.droppedEvents, span.droppedEventsCount);
  for (const link of span.links) writeLink(writer, link);
  writeCount(writer, SPAN.droppedLinks, span.droppedLinksCount);
  if (status.code !== 0 || status.message) {
    const start = writer.begin(SPAN.status);
    if (typeof status.message === 'string' && status.message !== '') writer.string(STATUS.message, status.message);
    writeCount(writer, STATUS.code, status.code);
    writer.end(start);
  }
  // The one tag of two bytes: its first byte is written as the end of what comes before.
  writer.raw(FLAGS.subarray(0, 1));
  writer.fixed32(FLAGS[1] as number, spanFlags(context.traceFlags, parent?.isRemote));
}

function writeEvent(writer: ProtobufWriter, { time, name, attributes, droppedAttributesCount = 0 }: TimedEvent): void {
  const start = writer.begin(SPAN.events);
  writer.time(EVENT.time, time[0], time[1]);
  writer.string(EVENT.name, String(name));
  if (attributes !== undefined) writeAttributes(writer, EVENT.attributes, attributes);
  writeCount(writer, EVENT.dropped, droppedAttributesCount);
  writer.end(start);
}

function writeLink(writer: ProtobufWriter, { context, attributes, droppedAttributesCount = 0 }: Link): void {
  const start = writer.begin(SPAN.links);
  writer.hex(LINK.traceId, context.traceId);
  writer.hex(LINK.spanId, context.spanId);
  writeState(writer, LINK.traceState, context);
  if (attributes !== undefined) writeAttributes(writer, LINK.attributes, attributes);
  writeCount(writer, LINK.dropped, droppedAttributesCount);
  writer.fixed32(LINK.flags, spanFlags(context.traceFlags, context.isRemote));
  writer.end(start);
}

function writeState(writer: ProtobufWriter, tag: number, { traceState }: SpanContext): void {
  const text = traceState?.serialize();
  if (typeof text === 'string') writer.string(tag, text);
}

function writeCount(writer: ProtobufWriter, tag: number, count: number): void {
  if (count > 0) writer.uint(tag, count);
}
