import type { HrTime } from '@hermes-observer/core';
import type { SourceEvent, SourceLink, SpanAttributes, SpanInput, SpanSource } from '../traces/span-source.js';
import { type SpansOfRequest, setAttribute } from './otlp-json.js';
import { inputOf, NO_LIST, NO_STATUS, NO_TIME, type SentSpan, type SpanSurroundings } from './received-span.js';
import { WireReader } from './wire-reader.js';

/** Tags: field numbers of trace/v1/trace.proto and common/v1/common.proto, with their wire types. */
const FIRST = 0x0a;
const SECOND = 0x12;
const SPAN = {
  traceId: 0x0a,
  spanId: 0x12,
  parentId: 0x22,
  name: 0x2a,
  kind: 0x30,
  start: 0x39,
  end: 0x41,
  attributes: 0x4a,
  events: 0x5a,
  links: 0x6a,
  status: 0x7a,
} as const;
const VALUE = { string: 0x0a, bool: 0x10, int: 0x18, double: 0x21, array: 0x2a, list: 0x32, bytes: 0x3a } as const;
const MOST_LEVELS = 16;

/**
 * Spans of an `ExportTraceServiceRequest`. Of a span that breaks off, what came before is kept.
 * @throws RangeError where what is around the spans is no message: nothing more can be found behind it.
 */
export function* spansOfProtobuf(body: Buffer): SpansOfRequest {
  const reader = new WireReader(body);
  const whole = body.length;
  while (reader.at < whole) {
    const tag = reader.varint();
    if (tag !== FIRST) reader.skip(tag, whole);
    else yield* resourceSpans(reader, reader.length(whole));
  }
}

function* resourceSpans(reader: WireReader, end: number): SpansOfRequest {
  const from = reader.at;
  let resource: SpanSource['resource'] = { attributes: {} };
  // What spans stand in may come behind them.
  for (const isFirst of [true, false]) {
    reader.at = from;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === FIRST && isFirst) resource = { attributes: attributesIn(reader, reader.length(end), FIRST, 0) };
      else if (tag === SECOND && !isFirst) yield* scopeSpans(reader, reader.length(end), resource);
      else reader.skip(tag, end);
    }
  }
}

function* scopeSpans(reader: WireReader, end: number, resource: SpanSource['resource']): SpansOfRequest {
  const from = reader.at;
  let surroundings: SpanSurroundings = { resource, scope: { name: '' } };
  for (const isFirst of [true, false]) {
    reader.at = from;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === FIRST && isFirst) surroundings = { resource, scope: scopeIn(reader, reader.length(end)) };
      else if (tag === SECOND && !isFirst) yield spanIn(reader, reader.length(end), surroundings);
      else reader.skip(tag, end);
    }
  }
}

function scopeIn(reader: WireReader, end: number): SpanSource['instrumentationScope'] {
  let name = '';
  let version: string | undefined;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) name = reader.text(end);
    else if (tag === SECOND) version = reader.text(end);
    else reader.skip(tag, end);
  }
  return version === undefined ? { name } : { name, version };
}

function spanIn(reader: WireReader, end: number, surroundings: SpanSurroundings): SpanInput | undefined {
  const span = {
    traceId: '',
    spanId: '',
    parentId: '',
    name: '',
    kind: 0,
    start: undefined as HrTime | undefined,
    end: undefined as HrTime | undefined,
    status: NO_STATUS,
    attributes: {} as Record<string, unknown>,
    events: NO_LIST as unknown as SourceEvent[],
    links: NO_LIST as unknown as SourceLink[],
    isBroken: false as boolean,
  };
  try {
    readSpan(reader, end, span);
  } catch {
    span.isBroken = true;
  }
  // The next one stands where it does, whatever was in this one.
  reader.at = end;
  return inputOf(span, surroundings);
}

type Writable = { -readonly [Key in keyof SentSpan]: SentSpan[Key] } & {
  attributes: Record<string, unknown>;
  events: SourceEvent[];
  links: SourceLink[];
};

function readSpan(reader: WireReader, end: number, span: Writable): void {
  while (reader.at < end) {
    const tag = reader.varint();
    switch (tag) {
      case SPAN.traceId:
        span.traceId = reader.hex(end);
        break;
      case SPAN.spanId:
        span.spanId = reader.hex(end);
        break;
      case SPAN.parentId:
        span.parentId = reader.hex(end);
        break;
      case SPAN.name:
        span.name = reader.key(end);
        break;
      case SPAN.kind:
        span.kind = reader.varint();
        break;
      case SPAN.start:
        span.start = orNone(reader.time(end));
        break;
      case SPAN.end:
        span.end = orNone(reader.time(end));
        break;
      case SPAN.attributes:
        readPair(reader, reader.length(end), span.attributes, 0);
        break;
      case SPAN.events:
        if (span.events.length === 0) span.events = [];
        span.events.push(eventIn(reader, reader.length(end)));
        break;
      case SPAN.links:
        if (span.links.length === 0) span.links = [];
        span.links.push(linkIn(reader, reader.length(end)));
        break;
      case SPAN.status:
        span.status = statusIn(reader, reader.length(end));
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/** OTLP has 0 for no time. */
const orNone = (time: HrTime): HrTime | undefined => (time[0] === 0 && time[1] === 0 ? undefined : time);

function eventIn(reader: WireReader, end: number): SourceEvent {
  let time = NO_TIME;
  let name = '';
  const attributes: Record<string, unknown> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === 0x09) time = reader.time(end);
    else if (tag === SECOND) name = reader.key(end);
    else if (tag === 0x1a) readPair(reader, reader.length(end), attributes, 0);
    else reader.skip(tag, end);
  }
  return { name, time, attributes };
}

function linkIn(reader: WireReader, end: number): SourceLink {
  const context = { traceId: '', spanId: '' };
  const attributes: Record<string, unknown> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) context.traceId = reader.hex(end);
    else if (tag === SECOND) context.spanId = reader.hex(end);
    else if (tag === 0x22) readPair(reader, reader.length(end), attributes, 0);
    else reader.skip(tag, end);
  }
  return { context, attributes };
}

function statusIn(reader: WireReader, end: number): SpanSource['status'] {
  let code = 0;
  let message = '';
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === SECOND) message = reader.text(end);
    else if (tag === 0x18) code = reader.varint();
    else reader.skip(tag, end);
  }
  return message === '' ? { code } : { code, message };
}

/** Pairs of a message that has nothing else of use. @param of their tag */
function attributesIn(reader: WireReader, end: number, of: number, level: number): SpanAttributes {
  const attributes: Record<string, unknown> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === of) readPair(reader, reader.length(end), attributes, level);
    else reader.skip(tag, end);
  }
  return attributes;
}

function readPair(reader: WireReader, end: number, attributes: Record<string, unknown>, level: number): void {
  let key: string | undefined;
  let value: unknown;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) key = reader.key(end);
    else if (tag === SECOND) value = valueIn(reader, reader.length(end), level);
    else reader.skip(tag, end);
  }
  if (key !== undefined) setAttribute(attributes, key, value);
}

function valueIn(reader: WireReader, end: number, level: number): unknown {
  let value: unknown;
  if (level > MOST_LEVELS) {
    reader.at = end;
    return undefined;
  }
  while (reader.at < end) {
    const tag = reader.varint();
    switch (tag) {
      case VALUE.string:
        value = reader.text(end);
        break;
      case VALUE.bool:
        value = reader.varint() !== 0;
        break;
      case VALUE.int:
        value = reader.int64();
        break;
      case VALUE.double:
        value = reader.double(end);
        break;
      case VALUE.array:
        value = arrayIn(reader, reader.length(end), level + 1);
        break;
      case VALUE.list:
        value = attributesIn(reader, reader.length(end), FIRST, level + 1);
        break;
      case VALUE.bytes: {
        const last = reader.length(end);
        value = reader.bytes.toString('base64', reader.at, last);
        reader.at = last;
        break;
      }
      default:
        reader.skip(tag, end);
    }
  }
  return value;
}

function arrayIn(reader: WireReader, end: number, level: number): unknown[] {
  const list: unknown[] = [];
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) list.push(valueIn(reader, reader.length(end), level) ?? null);
    else reader.skip(tag, end);
  }
  return list;
}
