import { type HrTime, parseUnixNano } from '@hermes-observer/core';
import { type EventFacts, type LinkFacts, type SpanFacts, STATUS_ERROR } from './span-facts.js';

type Fields = Readonly<Record<string, unknown>>;

/** `SpanFlags` of OTLP: whether it is known that the parent is remote, and whether it is. */
const REMOTE_FLAGS = 0x300;
/** Levels of one value; deeper ones are left out. */
const MOST_LEVELS = 32;

/** The spans of an `ExportTraceServiceRequest` as OTLP/JSON. @throws SyntaxError for what is no JSON. */
export function spansOfRequest(body: Uint8Array | string): SpanFacts[] {
  const request: unknown = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  const spans: SpanFacts[] = [];
  for (const { resource, scopeSpans } of list(request, 'resourceSpans')) {
    const attributes = attributesOf(resource);
    for (const scope of list({ scopeSpans }, 'scopeSpans')) {
      for (const span of list(scope, 'spans')) spans.push(factsOfSpan(span, attributes));
    }
  }
  return spans;
}

function factsOfSpan(span: Fields, resource: Fields): SpanFacts {
  const status = isObject(span.status) ? span.status : {};
  const parent = text(span.parentSpanId);
  const isRemote = (Number(span.flags ?? 0) & REMOTE_FLAGS) === REMOTE_FLAGS;
  return {
    traceId: text(span.traceId),
    spanId: text(span.spanId),
    ...(parent !== '' && (isRemote ? { remoteParentId: parent } : { parentId: parent })),
    name: text(span.name),
    start: time(span.startTimeUnixNano),
    end: time(span.endTimeUnixNano),
    isError: status.code === STATUS_ERROR || status.code === 'STATUS_CODE_ERROR',
    ...(text(status.message) !== '' && { statusMessage: text(status.message) }),
    attributes: attributesOf(span),
    events: list(span, 'events').map(
      (event): EventFacts => ({
        name: text(event.name),
        time: time(event.timeUnixNano),
        attributes: attributesOf(event),
      }),
    ),
    links: list(span, 'links').map(
      (link): LinkFacts => ({ traceId: text(link.traceId), spanId: text(link.spanId), attributes: attributesOf(link) }),
    ),
    resource,
  };
}

function attributesOf(owner: unknown): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const { key, value } of list(owner, 'attributes')) {
    if (typeof key === 'string' && key !== '__proto__') attributes[key] = anyValue(value, 0);
  }
  return attributes;
}

function anyValue(value: unknown, level: number): unknown {
  if (!isObject(value) || level > MOST_LEVELS) return undefined;
  if ('stringValue' in value) return value.stringValue;
  if ('boolValue' in value) return value.boolValue;
  // 64-bit integers are decimal strings in JSON; some senders write numbers.
  if ('intValue' in value) return Number(value.intValue);
  if ('doubleValue' in value) return Number(value.doubleValue);
  if ('bytesValue' in value) return value.bytesValue;
  if (isObject(value.arrayValue)) return list(value.arrayValue, 'values').map((item) => anyValue(item, level + 1));
  if (!isObject(value.kvlistValue)) return undefined;
  return Object.fromEntries(
    list(value.kvlistValue, 'values').map((pair) => [text(pair.key), anyValue(pair.value, level + 1)]),
  );
}

function list(owner: unknown, name: string): Fields[] {
  const value = isObject(owner) ? owner[name] : undefined;
  return Array.isArray(value) ? value.filter(isObject) : [];
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown) => (typeof value === 'string' ? value : '');
const time = (value: unknown): HrTime =>
  parseUnixNano(Number.isFinite(value) ? BigInt(Math.trunc(value as number)).toString() : value) ?? [0, 0];
