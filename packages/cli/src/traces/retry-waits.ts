import type { HrTime } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { nanosFrom } from './relative-time.js';
import { numberOf, type SpanSource } from './span-source.js';

const NANOS_OF_MILLI = 1e6;
const NONE: readonly never[] = [];

/**
 * Stretches between a failed attempt of a request and the next one, in nanoseconds from `base`: the event of a failure
 * stands at the attempt's end and says how long it took, the span says how long the last one took.
 *
 * @param end of the span; a request that runs has no last attempt yet
 */
export function retryWaits(
  source: Pick<SpanSource, 'attributes' | 'events'>,
  base: HrTime,
  end: number | undefined,
): (readonly [number, number])[] {
  if (source.events.length === 0) return NONE as never;
  const attempts: (readonly [start: number, end: number])[] = [];
  for (const { name, time, attributes = {} } of source.events) {
    if (name !== semconv.EVENT_HERMES_API_ATTEMPT_FAILED) continue;
    const at = nanosFrom(base, time);
    const millis = numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS) ?? 0;
    if (at !== undefined) attempts.push([at - Math.round(millis * NANOS_OF_MILLI), at]);
  }
  const last = numberOf(source.attributes, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS);
  if (end !== undefined && last !== undefined) attempts.push([end - Math.round(last * NANOS_OF_MILLI), end]);
  attempts.sort((a, b) => a[1] - b[1]);
  const waits: (readonly [number, number])[] = [];
  for (let i = 1; i < attempts.length; i++) {
    const [from, to] = [
      (attempts[i - 1] as readonly [number, number])[1],
      (attempts[i] as readonly [number, number])[0],
    ];
    if (to > from) waits.push([from, to]);
  }
  return waits;
}
