import type { HrTime } from '@hermes-observer/core';

/** Microseconds since 1970. Exact for all times of this century. */
export const microsOf = ([seconds, nanos]: HrTime): number => seconds * 1_000_000 + Math.floor(nanos / 1000);

/** The last one that has a year of four digits. */
const LAST_MICROS = 253_402_300_799_000_000;

/** RFC 3339 in UTC with microseconds and `Z`: the form that all readers of both formats take. No time is before 1970 or after 9999. */
export function timestamp(time: number): string {
  const micros = time > 0 ? Math.min(time, LAST_MICROS) : 0;
  const millis = Math.floor(micros / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros - millis * 1000).padStart(3, '0')}Z`;
}

/** The end of a span, strictly after its start as ATOF demands: a span of no length ends a microsecond later. */
export function endMicros({ start, end }: { readonly start: HrTime; readonly end: HrTime }): number {
  return Math.max(microsOf(end), microsOf(start) + 1);
}

/** Epoch seconds with microseconds, as invocations in `extra` have them. */
export const epochSeconds = (micros: number): number => micros / 1_000_000;
