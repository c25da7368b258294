import type { SpanAnswer } from '../wire.js';
import { unixNanos } from './relative-time.js';
import { FLAG, whoOf, whyBlocked } from './span-facts.js';
import type { SpanAttributes } from './span-source.js';
import type { StoredSpan } from './stored-span.js';
import type { Trace } from './trace.js';

/** A text of more characters is cut, unless all of it is asked for. */
const MOST_TEXT = 256 * 1024;
const MOST_LEVELS = 32;
const MOST_EVENTS = 1_000;

/** The whole span, without its records. */
export type SpanDetail = Omit<SpanAnswer, 'records'>;

/** @param isWhole texts of any length as they are */
export function detailOf(trace: Trace, span: StoredSpan, isWhole: boolean): SpanDetail {
  const { id, parentId, kind, source, end, flags } = span;
  const copy = new Copy(isWhole ? Number.POSITIVE_INFINITY : MOST_TEXT);
  const { startTime, status, events, links, resource, instrumentationScope: scope } = source;
  if (events.length > MOST_EVENTS) copy.isCut = true;
  const approval = trace.approvalBelow(span)?.source;
  const isBlocked = (flags & FLAG.blocked) !== 0;
  const detail = {
    id,
    trace: trace.id,
    parent: parentId === '' ? null : parentId,
    name: copy.text(source.name),
    kind,
    by: (isBlocked ? whoOf(source, kind, approval) : undefined) ?? null,
    why: (isBlocked ? whyBlocked(source, approval) : undefined) ?? null,
    start: startTime[0] === 0 && startTime[1] === 0 ? null : unixNanos(startTime),
    end: end === undefined ? null : unixNanos(end),
    status: { code: status.code, message: status.message === undefined ? null : copy.text(status.message) },
    attributes: copy.attributes(source.attributes),
    events: events.slice(0, MOST_EVENTS).map(({ name, time, attributes }) => ({
      name: copy.text(name),
      time: unixNanos(time),
      attributes: copy.attributes(attributes),
    })),
    links: links.slice(0, MOST_EVENTS).map(({ context, attributes }) => ({
      trace: context.traceId,
      span: context.spanId,
      attributes: copy.attributes(attributes),
    })),
    resource: copy.attributes(resource.attributes),
    scope: { name: copy.text(scope.name), version: scope.version ?? null },
  };
  return { ...detail, truncated: copy.isCut };
}

class Copy {
  readonly #most: number;
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  text(value: string): string {
    if (value.length <= this.#most) return value;
    this.isCut = true;
    return value.slice(0, this.#most);
  }

  attributes(attributes: SpanAttributes = {}): SpanAttributes {
    return this.#value(attributes, 0) as SpanAttributes;
  }

  #value(value: unknown, level: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (level >= MOST_LEVELS) {
      this.isCut = true;
      return null;
    }
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if (Array.isArray(value)) return value.map((item) => this.#value(item, level + 1));
    // A name such as `__proto__` is one like any other.
    const copy: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      if (item !== undefined) copy[key] = this.#value(item, level + 1);
    }
    return copy;
  }
}
