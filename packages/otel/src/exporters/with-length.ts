import { copySpan } from '../sdk/copy-span.js';
import type { ReadableSpan } from '../sdk/types.js';

/** Backends take a span without length for a broken one, and warn of it; it gets a nanosecond. */
export function withLength(span: ReadableSpan): ReadableSpan {
  const [seconds, nanos] = span.startTime;
  if (span.endTime[0] !== seconds || span.endTime[1] !== nanos) return span;
  return copySpan(span, { endTime: nanos < 999_999_999 ? [seconds, nanos + 1] : [seconds + 1, 0], duration: [0, 1] });
}
