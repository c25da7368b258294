import * as types from 'node:util/types';

/** As far as the hub copies arguments for its responders: levels, and items of a list. */
const DEEPEST = 200;
const LONGEST_LIST = 10_000_000;

/**
 * Arguments as a guard can be asked about them: the object itself, or a copy without what cannot be read where a getter
 * or a proxy stands in it. The hub reads all of them for a guard, and one that cannot be read is no answer of the guard.
 * What is left out is absent there, not replaced: a guard that needs it must not take a stand-in for it.
 */
export function readableArgs(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || isPlainData(args, new Set(), 0)) return args;
  const copy = readableCopy(args, new Map(), 0);
  return copy === UNREADABLE ? {} : copy;
}

/** Whether reading it runs nobody's code. Objects that the hub does not copy count as such. */
function isPlainData(value: unknown, seen: Set<object>, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST || seen.has(value)) return true;
  if (types.isProxy(value)) return false;
  seen.add(value);
  if (Array.isArray(value)) {
    if (value.length > LONGEST_LIST) return true;
  } else if (!isPlain(value)) return true;
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property?.get !== undefined || !isPlainData(property?.value, seen, depth + 1)) return false;
  }
  return true;
}

const UNREADABLE = Symbol('unreadable');

function readableCopy(value: unknown, seen: Map<object, object>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  try {
    const isList = Array.isArray(value);
    if (isList ? value.length > LONGEST_LIST : !isPlain(value)) return value;
    const copy: object = isList ? new Array(value.length) : {};
    seen.set(value, copy);
    for (const key of Object.keys(value)) copyField(copy, value, key, seen, depth);
    return copy;
  } catch {
    return UNREADABLE;
  }
}

function copyField(copy: object, source: object, key: string, seen: Map<object, object>, depth: number): void {
  let value: unknown = UNREADABLE;
  try {
    value = readableCopy(Reflect.get(source, key), seen, depth + 1);
  } catch {
    // The other fields can be read.
  }
  if (value === UNREADABLE) return;
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
