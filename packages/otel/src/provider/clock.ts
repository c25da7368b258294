import { now } from '@hermes-observer/core';
import type { HrTime, TimeInput } from '@opentelemetry/api';

const NANOS = 1_000_000_000;
/**
 * An `HrTime` of what the API allows. A tuple is used as it is, not copied. A number up to `performance.now()` is a
 * time of the performance clock, as in the SDK; a larger one is milliseconds since the epoch. What is no time is now.
 */
export function toHrTime(input: TimeInput | undefined): HrTime {
  if (input === undefined || input === null) return now();
  if (Array.isArray(input)) return isExact(input) ? input : fromParts(input[0], input[1]);
  if (typeof input === 'number') return fromMillis(input <= performance.now() ? performance.timeOrigin + input : input);
  return input instanceof Date ? fromMillis(input.getTime()) : now();
}

export function isTimeInput(value: unknown): value is TimeInput {
  if (typeof value === 'number' || value instanceof Date) return true;
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'number' && typeof value[1] === 'number';
}

export function isBefore(a: HrTime, b: HrTime): boolean {
  return a[0] === b[0] ? a[1] < b[1] : a[0] < b[0];
}

/** `to - from`; the caller has made sure that it is not negative. */
export function timeBetween(from: HrTime, to: HrTime): HrTime {
  const seconds = to[0] - from[0];
  const nanos = to[1] - from[1];
  return nanos < 0 ? [seconds - 1, nanos + NANOS] : [seconds, nanos];
}

function isExact(time: HrTime): boolean {
  const [seconds, nanos] = time;
  return seconds >= 0 && nanos >= 0 && nanos < NANOS && Number.isSafeInteger(seconds) && Number.isInteger(nanos);
}

function fromParts(seconds: number, nanos: number): HrTime {
  if (!Number.isFinite(seconds) || !Number.isFinite(nanos)) return now();
  const whole = Math.floor(seconds);
  const rest = Math.round((seconds - whole) * NANOS + nanos);
  const carry = Math.floor(rest / NANOS);
  return whole + carry < 0 ? [0, 0] : [whole + carry, rest - carry * NANOS];
}

function fromMillis(millis: number): HrTime {
  if (!Number.isFinite(millis)) return now();
  const seconds = Math.floor(millis / 1000);
  return fromParts(seconds, (millis - seconds * 1000) * 1e6);
}
