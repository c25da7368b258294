import * as types from 'node:util/types';

/** Levels that are copied; what lies deeper is shared. */
const DEEPEST = 200;
/** A sparse array may claim four thousand million items. */
const LONGEST_LIST = 10_000_000;

/**
 * A deep copy of plain objects and arrays; all else (class instances, functions, buffers) is shared. Reads each getter
 * once, so what was looked at is what runs. Cycles are kept as cycles. Throws what a getter or trap
 * throws, and for a list of more than ten million items.
 */
export function privateCopy<T>(value: T): T {
  return copyOf(value, new Map(), 0) as T;
}

function copyOf(value: unknown, seen: Map<object, object>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    seen.set(value, list);
    if (value.length > LONGEST_LIST) throw new RangeError(`a list of ${value.length} items is too long to copy`);
    for (let i = 0; i < value.length; i++) list.push(copyOf(value[i], seen, depth + 1));
    return list;
  }
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  seen.set(value, copy);
  for (const key of Object.keys(value)) {
    const item = copyOf(value[key], seen, depth + 1);
    // `copy.__proto__ = item` would set its prototype.
    if (key === '__proto__') {
      Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
    } else copy[key] = item;
  }
  return copy;
}

/** A private copy, frozen all the way down; the value itself where it is that already. */
export function frozenCopy<T>(value: T): T {
  return isFrozenDeep(value, 0) ? value : freezeDeep(privateCopy(value));
}

/** Whether nobody can change it and reading it runs nobody's code. What is not copied is not looked at. */
function isFrozenDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > DEEPEST || types.isProxy(value) || !Object.isFrozen(value)) return false;
  if (!Array.isArray(value) && !isPlain(value)) return false;
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property?.get !== undefined || !isFrozenDeep(property?.value, depth + 1)) return false;
  }
  return true;
}

/** Freezes plain objects and arrays all the way down. */
export function freezeDeep<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null || depth > DEEPEST || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item, depth + 1);
  return value;
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
