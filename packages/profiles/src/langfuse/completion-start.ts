import { semconv } from '@hermes-observer/otel';
import type { SourceSpan } from '../source/source-span.js';

/** The last moment that a `Date` can be. */
const LAST_MILLIS = 8.64e15;

/** When the first part of the answer came, as an ISO time; `undefined` where nobody saw that. */
export function completionStart(source: SourceSpan): string | undefined {
  const untilFirst = source.count(semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK);
  if (untilFirst === undefined) return undefined;
  const { startTime, endTime } = source.span;
  // Counted from the attempt that was answered; of several that is not the first.
  const attemptMillis = source.count(semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS);
  const [start, offset] = attemptMillis === undefined ? [startTime, 0] : [endTime, -attemptMillis];
  const millis = start[0] * 1e3 + start[1] / 1e6 + offset + untilFirst * 1e3;
  return Math.abs(millis) <= LAST_MILLIS ? new Date(millis).toISOString() : undefined;
}
