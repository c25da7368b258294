import type { SpanSource } from './span-source.js';

/** Objects, ids, and its place in the trace. */
const SPAN_BYTES = 420;
const ATTRIBUTE_BYTES = 32;
const EVENT_BYTES = 160;
const LINK_BYTES = 240;
const MOST_LEVELS = 8;

/** About how many bytes a span takes in memory. */
export function spanWeight(source: SpanSource): number {
  const { name, events, links, status } = source;
  let bytes = SPAN_BYTES + name.length + (status.message?.length ?? 0);
  bytes += source.attributeBytes ?? attributesBytes(source.attributes);
  for (const event of events) bytes += EVENT_BYTES + event.name.length + weightOf(event.attributes, 0);
  for (const link of links) bytes += LINK_BYTES + weightOf(link.attributes, 0);
  return bytes;
}

/** Of the attributes of a span, without what each of them adds. */
export const NO_ATTRIBUTE_BYTES = 16;

/** What one attribute adds. Names are shared by all spans that have them. */
export const attributeBytes = (value: unknown): number => ATTRIBUTE_BYTES + weightOf(value, 1);

export const attributesBytes = (attributes: SpanSource['attributes']): number => weightOf(attributes, 0);

function weightOf(value: unknown, level: number): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (level > MOST_LEVELS) return 64;
  let bytes = NO_ATTRIBUTE_BYTES;
  for (const key in value) bytes += ATTRIBUTE_BYTES + weightOf((value as Record<string, unknown>)[key], level + 1);
  return bytes;
}
