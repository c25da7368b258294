import { createHash } from 'node:crypto';
import type { HrTime } from '@hermes-observer/core';
import type { SpanAttributes, SpanInput, SpanSource } from '../traces/span-source.js';

/** `''` for none. */
interface SentIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
}

/** A span as it was sent, before its fields are trusted. Times are `undefined` for none. */
export interface SentSpan extends SentIds {
  readonly name: string;
  /** As OTLP counts: 0 not said, 1 internal, … */
  readonly kind: number;
  readonly start: HrTime | undefined;
  readonly end: HrTime | undefined;
  readonly status: SpanSource['status'];
  readonly attributes: SpanAttributes;
  readonly attributeBytes: number;
  readonly events: SpanSource['events'];
  readonly links: SpanSource['links'];
  readonly isBroken: boolean;
}

/** What all spans of one resource and one scope share. */
export interface SpanSurroundings {
  readonly resource: SpanSource['resource'];
  readonly scope: SpanSource['instrumentationScope'];
}

export const NO_TIME: HrTime = [0, 0];
export const NO_STATUS: SpanSource['status'] = { code: 0 };
export const NO_LIST: readonly never[] = [];

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
/** Most spans that come together are of one trace. */
let lastTraceId = '';
let lastParentId = '';

/** As the store takes it, or `undefined` for one that names no trace. */
export function inputOf(sent: SentSpan, surroundings: SpanSurroundings): SpanInput | undefined {
  const ids = idsOf(sent);
  if (ids === undefined) return undefined;
  return {
    traceId: ids.traceId,
    spanId: ids.spanId,
    parentId: ids.parentId,
    end: sent.end,
    isBroken: sent.isBroken || sent.start === undefined || ids.isChanged,
    source: new ReceivedSpan(sent, surroundings),
  };
}

/** What there are many of keeps no more objects than it has to. */
class ReceivedSpan implements SpanSource {
  readonly name: string;
  readonly kind: number;
  readonly #seconds: number;
  readonly #nanos: number;
  readonly status: SpanSource['status'];
  readonly attributes: SpanAttributes;
  readonly attributeBytes: number;
  readonly events: SpanSource['events'];
  readonly links: SpanSource['links'];
  readonly resource: SpanSource['resource'];
  readonly instrumentationScope: SpanSource['instrumentationScope'];

  constructor(sent: SentSpan, { resource, scope }: SpanSurroundings) {
    const start = sent.start ?? NO_TIME;
    this.name = sent.name;
    this.kind = Math.max(0, sent.kind - 1);
    this.#seconds = start[0];
    this.#nanos = start[1];
    this.status = sent.status;
    this.attributes = sent.attributes;
    this.attributeBytes = sent.attributeBytes;
    this.events = sent.events;
    this.links = sent.links;
    this.resource = resource;
    this.instrumentationScope = scope;
  }

  get startTime(): HrTime {
    return [this.#seconds, this.#nanos];
  }
}

/** Ids as they should be, or `undefined` where no trace is named. One that is none becomes one that is made of it. */
export function idsOf(sent: SentIds): (SentIds & { readonly isChanged: boolean }) | undefined {
  const traceId = sent.traceId === lastTraceId ? lastTraceId : idOf(sent.traceId, TRACE_DIGITS);
  if (traceId === '') return undefined;
  if (traceId === sent.traceId) lastTraceId = traceId;
  const spanId = idOf(sent.spanId, SPAN_DIGITS);
  const parentId = sent.parentId === lastParentId ? lastParentId : idOf(sent.parentId, SPAN_DIGITS);
  if (parentId === sent.parentId) lastParentId = parentId;
  const isOther = spanId !== sent.spanId || traceId !== sent.traceId || parentId !== sent.parentId;
  return { traceId, spanId, parentId, isChanged: isOther && !isSameId(sent, traceId, spanId, parentId) };
}

/** Ids in upper case are the same ids. */
function isSameId({ traceId, spanId, parentId }: SentIds, trace: string, span: string, parent: string): boolean {
  return traceId.toLowerCase() === trace && spanId.toLowerCase() === span && parentId.toLowerCase() === parent;
}

function idOf(id: string, digits: number): string {
  if (isId(id, digits)) return id;
  const lower = id.toLowerCase();
  if (isId(lower, digits)) return lower;
  if (/^0*$/.test(lower)) return '';
  // JSON of protobuf has bytes in base64, and some senders do not know of the exception.
  const bytes = /^[A-Za-z0-9+/]+={1,2}$/.test(id) ? Buffer.from(id, 'base64') : undefined;
  if (bytes?.length === digits / 2) return bytes.toString('hex');
  return createHash('sha256').update(id).digest('hex').slice(0, digits);
}

/** So many lower-case hexadecimal digits, not all of them 0. */
function isId(id: string, digits: number): boolean {
  if (id.length !== digits) return false;
  let isZero = true;
  for (let i = 0; i < digits; i++) {
    const code = id.charCodeAt(i);
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
    if (code !== 48) isZero = false;
  }
  return !isZero;
}
