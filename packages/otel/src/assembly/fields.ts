import type { Payload } from '@hermes-observer/core';

/** A non-empty string; `''`, `null` and other types mean absent. Ids are opaque: read, never parsed. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 0 ? value : undefined;
}

/** A non-negative safe integer. */
export function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** A plain object, as far as reading its fields goes. Arrays are none. */
export function object(value: unknown): Payload | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : undefined;
}

/** Milliseconds of a duration that can be true: not negative, not absurd (a year). `undefined` for anything else. */
export function durationMillis(value: unknown, perUnit: number): number | undefined {
  if (typeof value !== 'number') return undefined;
  const millis = value * perUnit;
  return millis >= 0 && millis <= 31_536_000_000 ? millis : undefined;
}
