import * as types from 'node:util/types';

/** A built-in object as a copy shows it: one primitive, a list, pairs, or an error's fields. `undefined`: not built in. */
export type Exotic =
  | { kind: 'scalar'; value: unknown }
  | { kind: 'list'; items: Iterable<unknown>; size: number }
  | { kind: 'pairs'; entries: Iterable<[unknown, unknown]>; size: number }
  | { kind: 'error'; error: object };

const mapSize = getter(Map.prototype, 'size');
const setSize = getter(Set.prototype, 'size');
const urlHref = getter(URL.prototype, 'href');

/**
 * Tells built-in objects by their internal slots, so no trap and no overridden method is asked. May throw where a
 * hostile object overrides what has no slot to ask (`RegExp` flags); the caller guards.
 */
export function exoticOf(value: object): Exotic | undefined {
  if (types.isDate(value)) return scalar(dateText(value));
  if (types.isNativeError(value) || value instanceof Error) return { kind: 'error', error: value };
  if (types.isMap(value)) {
    return { kind: 'pairs', entries: Map.prototype.entries.call(value), size: Number(mapSize.call(value)) };
  }
  if (types.isSet(value)) {
    return { kind: 'list', items: Set.prototype.values.call(value), size: Number(setSize.call(value)) };
  }
  if (types.isRegExp(value)) return scalar(RegExp.prototype.toString.call(value));
  if (types.isBoxedPrimitive(value)) return scalar(unboxed(value));
  if (value instanceof URL) return scalar(urlHref.call(value));
  const label = labelOf(value);
  return label === undefined ? undefined : scalar(label);
}

/** Objects whose content says nothing as text: what they are and how large. */
function labelOf(value: object): string | undefined {
  if (types.isArrayBufferView(value)) {
    const type = Buffer.isBuffer(value) ? 'Buffer' : types.isDataView(value) ? 'DataView' : typedArrayName.call(value);
    return `[${String(type)} ${value.byteLength} bytes]`;
  }
  if (types.isAnyArrayBuffer(value)) {
    return `[${types.isSharedArrayBuffer(value) ? 'SharedArrayBuffer' : 'ArrayBuffer'} ${value.byteLength} bytes]`;
  }
  if (types.isPromise(value)) return '[Promise]';
  if (types.isWeakMap(value)) return '[WeakMap]';
  if (types.isWeakSet(value)) return '[WeakSet]';
  if (value instanceof WeakRef) return '[WeakRef]';
  return undefined;
}

/** Reads a typed array's name from its internal slot. */
const typedArrayName = getter(Object.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag);

function getter(prototype: object, key: string | symbol): () => unknown {
  const get = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  return get ?? (() => undefined);
}

function scalar(value: unknown): Exotic {
  return { kind: 'scalar', value };
}

function dateText(value: Date): string {
  const millis = Date.prototype.getTime.call(value);
  return Number.isNaN(millis) ? 'Invalid Date' : new Date(millis).toISOString();
}

function unboxed(value: object): unknown {
  if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  if (types.isBigIntObject(value)) return BigInt.prototype.valueOf.call(value);
  return Symbol.prototype.valueOf.call(value);
}
