import type { Attributes, AttributeValue, Link } from '@opentelemetry/api';
import type { ReadableSpan } from './types.js';

export type MapValue = (value: AttributeValue | undefined) => AttributeValue | undefined;

/**
 * A copy of `span` with `map` applied to every attribute value of the span, its events and its links. All fields are
 * read from the span, so it may be of any class.
 */
export function mapSpanValues(span: ReadableSpan, map: MapValue): ReadableSpan {
  return copySpan(span, {
    attributes: mapAttributes(span.attributes, map),
    events: span.events.map((event) =>
      event.attributes === undefined ? event : { ...event, attributes: mapAttributes(event.attributes, map) },
    ),
    links: span.links.map(
      (link): Link =>
        link.attributes === undefined ? link : { ...link, attributes: mapAttributes(link.attributes, map) },
    ),
  });
}

/** A span with the fields of another but for `changes`; of the other all fields are read once, now. */
export function copySpan(span: ReadableSpan, changes: Partial<ReadableSpan>): ReadableSpan {
  const context = span.spanContext();
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => context,
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: span.endTime,
    status: span.status,
    attributes: span.attributes,
    links: span.links,
    events: span.events,
    duration: span.duration,
    ended: span.ended,
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
    ...changes,
  };
}

export function mapAttributes(attributes: Attributes, map: MapValue): Attributes {
  const mapped: Attributes = {};
  for (const key of Object.keys(attributes)) mapped[key] = map(attributes[key]);
  return mapped;
}
