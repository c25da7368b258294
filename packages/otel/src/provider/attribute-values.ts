import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { warn } from '../api/diag.js';

/**
 * How many attributes `attributes` has if a span can use the object as it is: a plain object, each value valid and
 * within `lengthLimit`, none `null` or `undefined`, no more than `countLimit`. Else -1: it has to be copied value by
 * value. With `flat` an array counts as a value to copy, so that a shallow copy shares nothing.
 */
export function countIfClean(attributes: Attributes, countLimit: number, lengthLimit: number, flat: boolean): number {
  if (Object.getPrototypeOf(attributes) !== Object.prototype) return -1;
  let count = 0;
  for (const key in attributes) {
    const value = attributes[key];
    switch (typeof value) {
      case 'string':
        if (value.length > lengthLimit) return -1;
        break;
      case 'number':
      case 'boolean':
        break;
      default:
        if (flat || !Array.isArray(value) || !isHomogeneous(value) || isAnyLonger(value, lengthLimit)) return -1;
    }
    count++;
    if (key === '') return -1;
  }
  return count <= countLimit ? count : -1;
}

/** `value` as a span may keep it (strings cut, arrays copied); `undefined`, with a warning, if it is no valid one. */
export function cleanValue(key: string, value: unknown, lengthLimit: number): AttributeValue | undefined {
  if (key === '' || key === '__proto__') {
    warn(`Attribute dropped: '${key}' cannot be an attribute key.`);
    return undefined;
  }
  switch (typeof value) {
    case 'string':
      return value.length > lengthLimit ? cut(value, lengthLimit) : value;
    case 'number':
    case 'boolean':
      return value;
    default:
      if (Array.isArray(value) && isHomogeneous(value)) return copyOf(value, lengthLimit);
      warn(`Attribute '${key}' dropped: use a string, number, boolean, or an array of one of these.`);
      return undefined;
  }
}

/** The valid entries of `source` in a new object, up to `countLimit`; `dropped` counts those over the limit. */
export function cleanAttributes(
  source: Attributes | undefined,
  countLimit: number,
  lengthLimit: number,
): { attributes: Attributes; count: number; dropped: number } {
  const attributes: Attributes = {};
  let count = 0;
  let dropped = 0;
  if (typeof source !== 'object' || source === null) return { attributes, count, dropped };
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (value === undefined || value === null) continue;
    const clean = cleanValue(key, value, lengthLimit);
    if (clean === undefined) continue;
    if (count >= countLimit) {
      dropped++;
      continue;
    }
    attributes[key] = clean;
    count++;
  }
  return { attributes, count, dropped };
}

function isHomogeneous(values: readonly unknown[]): values is (string | number | boolean | null | undefined)[] {
  let type: string | undefined;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    const own = typeof value;
    if (type === undefined && (own === 'string' || own === 'number' || own === 'boolean')) type = own;
    if (own !== type) return false;
  }
  return true;
}

function isAnyLonger(values: readonly unknown[], lengthLimit: number): boolean {
  for (const value of values) if (typeof value === 'string' && value.length > lengthLimit) return true;
  return false;
}

function copyOf(values: readonly unknown[], lengthLimit: number): AttributeValue {
  const copy = values.slice();
  for (let i = 0; i < copy.length; i++) {
    const value = copy[i];
    if (typeof value === 'string' && value.length > lengthLimit) copy[i] = cut(value, lengthLimit);
  }
  return copy as AttributeValue;
}

/** The first `length` UTF-16 units; one less where that would leave half of a surrogate pair. */
function cut(value: string, length: number): string {
  const last = value.charCodeAt(length - 1);
  return value.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
