import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { createResource } from '../provider/resource.js';
import type { ReadableSpan, Resource } from '../sdk/types.js';
import { copySpan, mapAttributes, mapSpanValues } from './map-span-values.js';
import { withSafeFields } from './safe-fields.js';

/** The spans of one request as they are, or copies where a value, a field or their resource asks for it. */
export function safeSpans(spans: readonly ReadableSpan[]): ReadableSpan[] {
  // One copy of a resource for all its spans: the serializer groups spans by the resource object.
  const resources = new Map<Resource, Resource>();
  return spans.map((span) => {
    let resource = resources.get(span.resource);
    if (resource === undefined) {
      resource = safeResource(span.resource);
      resources.set(span.resource, resource);
    }
    const safe = withSafeFields(withSafeNumbers(span));
    return resource === span.resource ? safe : copySpan(safe, { resource });
  });
}

/**
 * `span` as it is, or a copy in which numbers that OTLP/JSON cannot hold are strings: NaN and infinities (JSON has
 * none), and whole numbers beyond 2^53 - 1 (the serializer would write `1e+21` as an int, which readers refuse with
 * the whole request).
 */
function withSafeNumbers(span: ReadableSpan): ReadableSpan {
  return isSafeSpan(span) ? span : mapSpanValues(span, safeValue);
}

function safeResource(resource: Resource): Resource {
  return areSafe(resource.attributes)
    ? resource
    : createResource(mapAttributes(resource.attributes, safeValue), resource.schemaUrl);
}

function isSafeSpan(span: ReadableSpan): boolean {
  if (!areSafe(span.attributes)) return false;
  for (const event of span.events) if (event.attributes !== undefined && !areSafe(event.attributes)) return false;
  for (const link of span.links) if (link.attributes !== undefined && !areSafe(link.attributes)) return false;
  return true;
}

function areSafe(attributes: Attributes): boolean {
  for (const key in attributes) {
    const value = attributes[key];
    if (typeof value === 'number' ? !isSafeNumber(value) : Array.isArray(value) && !isSafeArray(value)) return false;
  }
  return true;
}

function safeValue(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'number') return isSafeNumber(value) ? value : String(value);
  if (Array.isArray(value) && !isSafeArray(value)) return value.map((element) => String(element ?? ''));
  return value;
}

function isSafeArray(values: readonly unknown[]): boolean {
  for (const value of values) if (typeof value === 'number' && !isSafeNumber(value)) return false;
  return true;
}

/** Fractions are safe at any size; a double from 2^53 on is whole. */
function isSafeNumber(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
}
