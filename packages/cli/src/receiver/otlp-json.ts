import type { HrTime } from '@hermes-observer/core';
import type { SourceEvent, SourceLink, SpanInput } from '../traces/span-source.js';
import { AttributeShapes } from './attribute-shapes.js';
import { attributesOf, type Fields, isObject, list } from './json-attributes.js';
import { inputOf, NO_LIST, NO_STATUS, NO_TIME, type SentSpan } from './received-span.js';

const NANOS = 1_000_000_000;
const LATEST = 2n ** 64n;

/** The spans of a request, one by one; `undefined` for one that is none, or names no trace. */
export type SpansOfRequest = Iterable<SpanInput | undefined>;

/** Spans of an OTLP/JSON `ExportTraceServiceRequest`. What is not as OTLP says is left out, and never more than that. */
export function* spansOfJson(request: unknown): SpansOfRequest {
  const shapes = new AttributeShapes();
  for (const resourceSpans of list((request as Fields | null)?.resourceSpans)) {
    const resource = { attributes: attributesOf((resourceSpans.resource as Fields | undefined)?.attributes) };
    for (const scopeSpans of list(resourceSpans.scopeSpans)) {
      const { name, version } = (scopeSpans.scope ?? {}) as Fields;
      const scope = { name: text(name), ...(typeof version === 'string' && { version }) };
      const surroundings = { resource, scope };
      for (const span of Array.isArray(scopeSpans.spans) ? scopeSpans.spans : NO_LIST) {
        yield isObject(span) ? inputOf(sentSpan(span, shapes), surroundings) : undefined;
      }
    }
  }
}

function sentSpan(span: Fields, shapes: AttributeShapes): SentSpan {
  const { status, name } = span;
  const start = timeOf(span.startTimeUnixNano);
  const end = timeOf(span.endTimeUnixNano);
  const { attributes, bytes } = shapes.attributesOf(span.attributes);
  return {
    traceId: text(span.traceId),
    spanId: text(span.spanId),
    parentId: text(span.parentSpanId),
    name: text(name),
    kind: kindOf(span.kind),
    start,
    end,
    status: isObject(status) ? statusOf(status) : NO_STATUS,
    attributes,
    attributeBytes: bytes,
    events: isEmpty(span.events) ? NO_LIST : list(span.events).map(eventOf),
    links: isEmpty(span.links) ? NO_LIST : list(span.links).map(linkOf),
    isBroken: typeof name !== 'string' || (end === undefined && !isUnset(span.endTimeUnixNano)),
  };
}

function eventOf(event: Fields): SourceEvent {
  return {
    name: text(event.name),
    time: timeOf(event.timeUnixNano) ?? NO_TIME,
    attributes: attributesOf(event.attributes),
  };
}

function linkOf(link: Fields): SourceLink {
  return {
    context: { traceId: text(link.traceId).toLowerCase(), spanId: text(link.spanId).toLowerCase() },
    attributes: attributesOf(link.attributes),
  };
}

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  (kind) => `SPAN_KIND_${kind}`,
);
const CODES = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'];

const kindOf = (kind: unknown) => numbered(kind, KINDS);

function statusOf({ code, message }: Fields) {
  const number = numbered(code, CODES);
  return typeof message === 'string' && message !== '' ? { code: number, message } : { code: number };
}

/** Numbers as OTLP says, or names as JSON of protobuf has them. */
function numbered(value: unknown, names: readonly string[]): number {
  if (typeof value === 'string') return Math.max(0, names.indexOf(value));
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < names.length ? (value as number) : 0;
}

/** Absent and zero mean the same in OTLP: no time. */
export function timeOf(value: unknown): HrTime | undefined {
  if (typeof value === 'string') {
    // All times of these centuries; without a pattern, since there are two for each span.
    if (value.length === 19) {
      const [seconds, nanos] = [digitsIn(value, 0, 10), digitsIn(value, 10, 19)];
      if (seconds !== -1 && nanos !== -1) return seconds === 0 && nanos === 0 ? undefined : [seconds, nanos];
    }
    return /^-?\d{1,20}$/.test(value) ? fromBig(BigInt(value)) : undefined;
  }
  return typeof value === 'number' && Number.isFinite(value) ? fromBig(BigInt(Math.trunc(value))) : undefined;
}

/** The number of some characters, -1 where one is no digit. */
function digitsIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function fromBig(nanos: bigint): HrTime | undefined {
  if (nanos === 0n || nanos >= LATEST || nanos <= -LATEST) return undefined;
  const seconds = nanos >= 0n ? nanos / BigInt(NANOS) : -((-nanos + BigInt(NANOS) - 1n) / BigInt(NANOS));
  return [Number(seconds), Number(nanos - seconds * BigInt(NANOS))];
}

const isUnset = (value: unknown) =>
  value === undefined || value === null || value === 0 || value === '0' || value === '';
const text = (value: unknown) => (typeof value === 'string' ? value : '');
const isEmpty = (value: unknown) => !Array.isArray(value) || value.length === 0;
