import { now } from '@hermes-observer/core';
import type { Attributes, Link, SpanContext, SpanKind, TimeInput, TraceState } from '@opentelemetry/api';
import { SAMPLED } from '../api/span-context.js';
import { cleanAttributes, countIfClean } from './attribute-values.js';
import { toHrTime } from './clock.js';
import { ObserverSpan, type SpanOwner } from './span.js';

/** A span of what a caller gives. `attributes` is not copied if `taken`; see `ObserverSpanOptions.takeAttributes`. */
export function startedSpan(
  owner: SpanOwner,
  traceId: string,
  spanId: string,
  traceFlags: number,
  traceState: TraceState | undefined,
  parent: SpanContext | undefined,
  name: string,
  kind: SpanKind,
  startTime: TimeInput | undefined,
  attributes: Attributes | undefined,
  taken: boolean,
  atMost: number | undefined,
  links: readonly Link[] | undefined,
): ObserverSpan {
  const isPlain = parent !== undefined && traceFlags === SAMPLED && traceState === undefined;
  const context = isPlain ? undefined : ({ traceId, spanId, traceFlags, traceState } as SpanContext);
  const time = startTime === undefined ? now() : toHrTime(startTime);
  const { attributeCountLimit, attributeValueLengthLimit } = owner.limits;
  let count = -1;
  let kept = attributes;
  let dropped = 0;
  if (taken && atMost !== undefined && owner.hasRoomFor(atMost)) {
    count = atMost;
  } else if (attributes) {
    count = countIfClean(attributes, attributeCountLimit, attributeValueLengthLimit, !taken);
  }
  if (count >= 0) {
    // Not a spread: setting attributes on a spread copy is ten times slower in V8.
    if (!taken) kept = Object.assign({}, attributes);
  } else {
    const copy = cleanAttributes(attributes, attributeCountLimit, attributeValueLengthLimit);
    kept = copy.attributes;
    count = copy.count;
    dropped = copy.dropped;
  }
  const span = new ObserverSpan(
    owner,
    context,
    spanId,
    undefined,
    0,
    parent,
    name,
    kind,
    time,
    kept as Attributes,
    count,
  );
  if (dropped > 0) span.countDropped(dropped);
  if (links !== undefined) span.addLinks(links as Link[]);
  return span;
}
