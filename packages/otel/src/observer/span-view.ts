import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '../sdk/types.js';

/** What a view shows in place of the span's own. */
export interface SpanChanges {
  readonly name?: string;
  readonly attributes?: Attributes;
  readonly events?: ReadableSpan['events'];
  readonly status?: ReadableSpan['status'];
}

/** A span with some of its parts replaced; everything else is the span's own. The span itself is not changed. */
export function viewOf(span: ReadableSpan, changes: SpanChanges): ReadableSpan {
  const descriptors: PropertyDescriptorMap = {};
  for (const [key, value] of Object.entries(changes)) descriptors[key] = { value, enumerable: true };
  // `spanContext` and getters of the span run on the span, whatever stands in front of it.
  descriptors.spanContext = { value: () => span.spanContext() };
  return Object.create(span, descriptors) as ReadableSpan;
}
