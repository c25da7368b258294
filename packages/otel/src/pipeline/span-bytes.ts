import type { Attributes } from '@opentelemetry/api';
import { ObserverSpan } from '../provider/span.js';
import type { ReadableSpan } from '../sdk/types.js';

/** Ids, times, counts, and what stands around them. */
const SPAN_BYTES = 320;
const EVENT_BYTES = 80;
const LINK_BYTES = 160;
/** An attribute without its name and text. */
const ATTRIBUTE_BYTES = 40;
const NUMBER_BYTES = 8;

/** About how many bytes a span takes as OTLP, and in memory. Fast rather than exact: it is asked where the span ends. */
export function spanBytes(span: ReadableSpan): number {
  let bytes = SPAN_BYTES + span.name.length + (span.status.message?.length ?? 0);
  if (span instanceof ObserverSpan) {
    const [first, late] = span.attributeParts;
    bytes += attributesBytes(first) + (late === undefined ? 0 : attributesBytes(late));
  } else {
    bytes += attributesBytes(span.attributes);
  }
  for (const { name, attributes } of span.events) {
    bytes += EVENT_BYTES + name.length + (attributes === undefined ? 0 : attributesBytes(attributes));
  }
  for (const { attributes } of span.links) {
    bytes += LINK_BYTES + (attributes === undefined ? 0 : attributesBytes(attributes));
  }
  return bytes;
}

function attributesBytes(attributes: Attributes): number {
  let bytes = 0;
  for (const key in attributes) bytes += ATTRIBUTE_BYTES + key.length + valueBytes(attributes[key]);
  return bytes;
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return NUMBER_BYTES;
  let bytes = 0;
  for (const item of value) bytes += NUMBER_BYTES + (typeof item === 'string' ? item.length : 0);
  return bytes;
}
