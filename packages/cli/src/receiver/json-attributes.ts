import type { SpanAttributes } from '../traces/span-source.js';
import { NO_LIST } from './received-span.js';

export type Fields = Readonly<Record<string, unknown>>;

const MOST_LEVELS = 16;

export function attributesOf(pairs: unknown, level = 0): SpanAttributes {
  const attributes: Record<string, unknown> = {};
  if (!Array.isArray(pairs)) return attributes;
  for (const pair of pairs as readonly unknown[]) {
    if (!isObject(pair) || typeof pair.key !== 'string') continue;
    setAttribute(attributes, pair.key, anyValue(pair.value, level));
  }
  return attributes;
}

/** A name such as `__proto__` is one like any other. */
export function setAttribute(attributes: Record<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) return;
  if (key === '__proto__') {
    Object.defineProperty(attributes, key, { value, enumerable: true, configurable: true, writable: true });
  } else attributes[key] = value;
}

/** What an `AnyValue` holds. 64-bit integers are decimal strings in JSON; some senders write numbers. */
export function anyValue(value: unknown, level = 0): unknown {
  if (!isObject(value) || level > MOST_LEVELS) return undefined;
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.intValue !== undefined) return numberIn(value.intValue);
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.doubleValue !== undefined) return numberIn(value.doubleValue);
  if (isObject(value.arrayValue)) return list(value.arrayValue.values).map((item) => anyValue(item, level + 1) ?? null);
  if (isObject(value.kvlistValue)) return attributesOf(value.kvlistValue.values, level + 1);
  return typeof value.bytesValue === 'string' ? value.bytesValue : undefined;
}

/** One that a double does not hold stays the text it was. */
function numberIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const number = Number(value);
  return Number.isNaN(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? value : number;
}

/** Those of a list that are objects. */
export function list(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return NO_LIST;
  return value.every(isObject) ? value : value.filter(isObject);
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
