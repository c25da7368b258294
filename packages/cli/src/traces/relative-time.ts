import type { HrTime } from '@hermes-observer/core';

const NANOS = 1_000_000_000;
/** Times of a trace lie within so many seconds of its first span, so that nanoseconds between them are exact integers. */
export const MOST_SECONDS = 90 * 86_400;

/** Nanoseconds from `base` to `time`; `undefined` for a time so far away that it is a fault of a clock. */
export function nanosFrom(base: HrTime, time: HrTime): number | undefined {
  const seconds = time[0] - base[0];
  if (!(Math.abs(seconds) <= MOST_SECONDS)) return undefined;
  return seconds * NANOS + (time[1] - base[1]);
}

/** `base` moved by nanoseconds, as decimal digits of Unix nanoseconds; below zero with a sign. */
export function unixNanos(base: HrTime, nanos = 0): string {
  return String(BigInt(base[0]) * BigInt(NANOS) + BigInt(base[1]) + BigInt(nanos));
}

export const isNoTime = (time: HrTime) => time[0] === 0 && time[1] === 0;
