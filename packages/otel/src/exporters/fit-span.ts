import type { AttributeValue } from '@opentelemetry/api';
import { ATTR_HERMES_EXPORT_CUT } from '../attributes/semconv.js';
import { cutToJsonSize, jsonSize } from '../encoding/json-size.js';
import { copySpan, mapSpanValues } from '../sdk/copy-span.js';
import type { ReadableSpan } from '../sdk/types.js';
import { cutText } from './cut-text.js';

/** Room for the mark itself and for counts that get longer. */
const MARK_BYTES = 128;

/**
 * `span` with its largest strings cut, all to the same size, so that it takes `maxBytes` instead of `bytes`.
 * `hermes.export.cut` says so. Strings are those of attributes (events and links included), the name and the status.
 * @param sizeOf bytes that a text takes in the encoding that `bytes` is of.
 */
export function cutSpan(
  span: ReadableSpan,
  bytes: number,
  maxBytes: number,
  sizeOf: (text: string) => number = jsonSize,
): ReadableSpan {
  const sizes: number[] = [];
  mapStrings(span, (text) => {
    sizes.push(sizeOf(text));
    return text;
  });
  const fixed = bytes - sizes.reduce((sum, size) => sum + size, 0);
  const cap = capFor(sizes, maxBytes - fixed - MARK_BYTES);
  const cut = mapStrings(span, (text) => cutText(text, cap));
  return copySpan(cut, { attributes: { ...cut.attributes, [ATTR_HERMES_EXPORT_CUT]: true } });
}

/** The last resort for a span whose size is not in its strings: ids, times, kind, a short name and the status code. */
export function bareSpan(span: ReadableSpan): ReadableSpan {
  return copySpan(span, {
    name: cutToJsonSize(span.name, 1024),
    status: { code: span.status.code },
    attributes: { [ATTR_HERMES_EXPORT_CUT]: true },
    events: [],
    links: [],
    droppedAttributesCount: span.droppedAttributesCount + Object.keys(span.attributes).length,
    droppedEventsCount: span.droppedEventsCount + span.events.length,
    droppedLinksCount: span.droppedLinksCount + span.links.length,
  });
}

/** The size to which the larger of `sizes` have to shrink for all to fit `budget`. */
function capFor(sizes: readonly number[], budget: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = budget;
  for (let i = 0; i < ascending.length; i++) {
    const share = Math.floor(left / (ascending.length - i));
    const size = ascending[i] as number;
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function mapStrings(span: ReadableSpan, map: (text: string) => string): ReadableSpan {
  const copy = mapSpanValues(span, (value): AttributeValue | undefined => {
    if (typeof value === 'string') return map(value);
    if (!Array.isArray(value)) return value;
    return value.map((element) => (typeof element === 'string' ? map(element) : element)) as AttributeValue;
  });
  const { code, message } = span.status;
  return copySpan(copy, {
    name: map(span.name),
    status: message === undefined ? { code } : { code, message: map(message) },
  });
}
