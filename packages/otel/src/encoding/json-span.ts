import type { Link, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan, TimedEvent } from '../sdk/types.js';
import { writeJsonAttributes } from './json-value.js';
import type { JsonWriter } from './json-writer.js';
import { spanFlags } from './span-flags.js';

const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
const TRACE_ID = ascii('{"traceId":');
const SPAN_ID = ascii(',"spanId":');
const PARENT_ID = ascii(',"parentSpanId":');
const STATE = ascii(',"traceState":');
const NAME = ascii(',"name":');
const KIND = ascii(',"kind":');
const START = ascii(',"startTimeUnixNano":"');
const END = ascii('","endTimeUnixNano":"');
const ATTRIBUTES = ascii('","attributes":');
const DROPPED_ATTRIBUTES = ascii(',"droppedAttributesCount":');
const EVENTS = ascii(',"events":[');
const DROPPED_EVENTS = ascii('],"droppedEventsCount":');
const STATUS = ascii(',"status":{"code":');
const MESSAGE = ascii(',"message":');
const LINKS = ascii('},"links":[');
const DROPPED_LINKS = ascii('],"droppedLinksCount":');
const FLAGS = ascii(',"flags":');
const EMPTY = ascii('[]');
/** From the counts of attributes to the flags, of a span without anything in between. */
const NOTHING_ELSE = ascii(
  ',"droppedAttributesCount":0,"events":[],"droppedEventsCount":0,"status":{"code":0},"links":[],"droppedLinksCount":0',
);
const OPEN_ATTRIBUTES = ascii('{"attributes":');
const TIME = ascii(',"timeUnixNano":"');
const EVENT_DROPPED = ascii('","droppedAttributesCount":');
const LINK_TRACE_ID = ascii(',"traceId":');

/** A `Span` as the standard serializer of OTLP/JSON writes it: the same fields in the same order. */
export function writeJsonSpan(writer: JsonWriter, span: ReadableSpan): void {
  const context = span.spanContext();
  const { parentSpanContext: parent, startTime, endTime } = span;
  writer.piece(TRACE_ID);
  writer.string(context.traceId);
  writer.piece(SPAN_ID);
  writer.string(context.spanId);
  if (parent?.spanId) {
    writer.piece(PARENT_ID);
    writer.string(parent.spanId);
  }
  writeState(writer, context);
  writer.piece(NAME);
  writer.string(String(span.name));
  writer.piece(KIND);
  writer.number(span.kind + 1);
  writer.piece(START);
  writer.nanos(startTime[0], startTime[1]);
  writer.piece(END);
  writer.nanos(endTime[0], endTime[1]);
  writer.piece(ATTRIBUTES);
  writeJsonAttributes(writer, span.attributes);
  if (isBare(span)) writer.raw(NOTHING_ELSE);
  else writeRest(writer, span);
  writer.piece(FLAGS);
  writer.number(spanFlags(context.traceFlags, parent?.isRemote));
  writer.byte(CLOSE_OBJECT);
}

/** Nearly all spans are. */
function isBare(span: ReadableSpan): boolean {
  const { status } = span;
  if (status.code !== 0 || status.message !== undefined || span.events.length > 0 || span.links.length > 0)
    return false;
  return span.droppedAttributesCount + span.droppedEventsCount + span.droppedLinksCount === 0;
}

function writeRest(writer: JsonWriter, span: ReadableSpan): void {
  const { status, events, links } = span;
  writer.piece(DROPPED_ATTRIBUTES);
  writer.number(span.droppedAttributesCount);
  writer.piece(EVENTS);
  for (let i = 0; i < events.length; i++) writeEvent(writer, events[i] as TimedEvent, i);
  writer.piece(DROPPED_EVENTS);
  writer.number(span.droppedEventsCount);
  writer.piece(STATUS);
  writer.number(status.code);
  if (typeof status.message === 'string') {
    writer.piece(MESSAGE);
    writer.string(status.message);
  }
  writer.piece(LINKS);
  for (let i = 0; i < links.length; i++) writeLink(writer, links[i] as Link, i);
  writer.piece(DROPPED_LINKS);
  writer.number(span.droppedLinksCount);
}

function writeEvent(writer: JsonWriter, event: TimedEvent, index: number): void {
  const { attributes, name, time, droppedAttributesCount = 0 } = event;
  writeOpening(writer, attributes, index);
  writer.piece(NAME);
  writer.string(String(name));
  writer.piece(TIME);
  writer.nanos(time[0], time[1]);
  writer.piece(EVENT_DROPPED);
  writer.number(droppedAttributesCount);
  writer.byte(CLOSE_OBJECT);
}

function writeLink(writer: JsonWriter, link: Link, index: number): void {
  const { attributes, context, droppedAttributesCount = 0 } = link;
  writeOpening(writer, attributes, index);
  writer.piece(SPAN_ID);
  writer.string(context.spanId);
  writer.piece(LINK_TRACE_ID);
  writer.string(context.traceId);
  writeState(writer, context);
  writer.piece(DROPPED_ATTRIBUTES);
  writer.number(droppedAttributesCount);
  writer.piece(FLAGS);
  writer.number(spanFlags(context.traceFlags, context.isRemote));
  writer.byte(CLOSE_OBJECT);
}

function writeOpening(writer: JsonWriter, attributes: Readonly<Record<string, unknown>> | undefined, index: number) {
  if (index > 0) writer.byte(COMMA);
  writer.piece(OPEN_ATTRIBUTES);
  if (attributes === undefined) writer.piece(EMPTY);
  else writeJsonAttributes(writer, attributes);
}

function writeState(writer: JsonWriter, { traceState }: SpanContext): void {
  const text = traceState?.serialize();
  if (typeof text !== 'string') return;
  writer.piece(STATE);
  writer.string(text);
}
