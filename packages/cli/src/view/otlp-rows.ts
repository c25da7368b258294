import { type HrTime, ObserverError, parseUnixNano } from '@hermes-observer/core';
import type { RowAttributes, RowEvent, RowLink, SpanRow } from './span-row.js';

type Fields = Readonly<Record<string, unknown>>;

const STATUS_ERROR = 2;
/** Values may nest; deeper than this is no telemetry. */
const MOST_DEPTH = 16;

/** True for a value that is an OTLP/JSON `ExportTraceServiceRequest`. */
export function isTraceRequest(value: unknown): value is Fields {
  return isObject(value) && 'resourceSpans' in value;
}

/**
 * The spans of one OTLP/JSON `ExportTraceServiceRequest`.
 * @throws ObserverError `HO_RECORD_SHAPE` that names the part that is not what OTLP says; then no span of it is used.
 */
export function rowsOfRequest(request: Fields): SpanRow[] {
  const rows: SpanRow[] = [];
  for (const resource of list(request, 'resourceSpans')) {
    for (const scope of list(resource, 'scopeSpans')) {
      for (const span of list(scope, 'spans')) rows.push(rowOf(span));
    }
  }
  return rows;
}

function rowOf(span: Fields): SpanRow {
  const status = isObject(span.status) ? span.status : {};
  return {
    traceId: idOf(span.traceId),
    spanId: idOf(span.spanId),
    parentSpanId: idOf(span.parentSpanId) || undefined,
    name: typeof span.name === 'string' ? span.name : '',
    start: timeOf(span.startTimeUnixNano) ?? [0, 0],
    end: timeOf(span.endTimeUnixNano),
    failed: status.code === STATUS_ERROR || status.code === 'STATUS_CODE_ERROR',
    statusMessage: typeof status.message === 'string' && status.message !== '' ? status.message : undefined,
    attributes: attributesOf(span),
    events: list(span, 'events').map(eventOf),
    links: list(span, 'links').map(linkOf),
  };
}

function eventOf(event: Fields): RowEvent {
  return {
    name: typeof event.name === 'string' ? event.name : '',
    time: timeOf(event.timeUnixNano) ?? [0, 0],
    attributes: attributesOf(event),
  };
}

function linkOf(link: Fields): RowLink {
  return { traceId: idOf(link.traceId), attributes: attributesOf(link) };
}

function attributesOf(owner: Fields): RowAttributes {
  const attributes: Record<string, unknown> = Object.create(null);
  for (const { key, value } of list(owner, 'attributes')) {
    if (typeof key === 'string') attributes[key] = anyValue(value, 0);
  }
  return attributes;
}

/** What an OTLP `AnyValue` holds. 64-bit integers are decimal strings in JSON; some senders write numbers. */
function anyValue(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > MOST_DEPTH) return undefined;
  if ('stringValue' in value) return value.stringValue;
  if ('intValue' in value) return typeof value.intValue === 'string' ? Number(value.intValue) : value.intValue;
  if ('doubleValue' in value)
    return typeof value.doubleValue === 'string' ? Number(value.doubleValue) : value.doubleValue;
  if ('boolValue' in value) return value.boolValue;
  if (isObject(value.arrayValue)) return list(value.arrayValue, 'values').map((item) => anyValue(item, depth + 1));
  if (isObject(value.kvlistValue)) {
    return Object.fromEntries(
      list(value.kvlistValue, 'values').map((pair) => [pair.key, anyValue(pair.value, depth + 1)]),
    );
  }
  return undefined;
}

/** Absent and zero mean the same in OTLP: no time. */
function timeOf(value: unknown): HrTime | undefined {
  const time = parseUnixNano(typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value);
  return time !== undefined && (time[0] > 0 || time[1] > 0) ? time : undefined;
}

function idOf(value: unknown): string {
  const id = typeof value === 'string' ? value.toLowerCase() : '';
  return /^0*$/.test(id) ? '' : id;
}

function list(owner: Fields, field: string): readonly Fields[] {
  const value = owner[field];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw new ObserverError('HO_RECORD_SHAPE', `${field} must be an array of objects, as OTLP/JSON says`);
  }
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
