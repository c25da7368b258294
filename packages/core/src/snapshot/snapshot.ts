import type { Exotic } from './exotic.js';
import { exoticOf } from './exotic.js';
import type { JsonObject, JsonValue } from './json.js';
import { setOwn } from './json.js';
import type { SnapshotLimits } from './limits.js';
import { resolveLimits } from './limits.js';
import { cutString, cutToBytes, utf8Length, wellFormed } from './text.js';

export interface Snapshot {
  value: JsonValue;
  /** Something was left out because of a limit. */
  truncated: boolean;
  /** Size as `SnapshotLimits.bytes` counts it. */
  bytes: number;
}

/**
 * A bounded copy of any JavaScript value as JSON data. Never throws, whatever the value does: what cannot be read
 * becomes `[unreadable]`. Only a getter or trap that never returns can hold it up.
 *
 * | value | in the copy |
 * | --- | --- |
 * | string over a limit | its start and `…[+N chars]` |
 * | array over a limit | its start and a last item `…[+N items]` |
 * | object over a limit | its first keys and a key `…` with `[+N keys]` |
 * | too deep, circular | `[cut: depth]`, `[circular]` |
 * | `undefined`, a hole | left out of objects, `null` elsewhere |
 * | `NaN`, `Infinity`, BigInt | their text |
 * | function, symbol | `[function name]`, `[symbol name]` |
 * | `Date`, `URL`, `RegExp`, boxed primitive | ISO text (`Invalid Date`), href, source, the primitive |
 * | `Error` | `name`, `message`, `cause`, own enumerable fields; no stack |
 * | `Map` | an object where all keys are strings, else a list of pairs |
 * | `Set` | a list |
 * | `Buffer`, typed array, `ArrayBuffer` | `[Uint8Array 12 bytes]` |
 * | `Promise`, `WeakMap`, `WeakSet`, `WeakRef` | `[Promise]` … |
 * | any other object | its own enumerable string keys; `toJSON` is not called |
 *
 * Lone surrogates become U+FFFD. An object seen twice without a cycle is copied twice.
 */
export function snapshot(value: unknown, limits?: SnapshotLimits): JsonValue {
  return snapshotOf(value, limits).value;
}

/** Like `snapshot`, and says whether a limit cut something and how large the copy is. */
export function snapshotOf(value: unknown, limits?: SnapshotLimits): Snapshot {
  const copier = new Copier(resolveLimits(limits));
  let copy: JsonValue | undefined;
  try {
    copy = copier.copy(value, 0);
  } catch {
    copy = UNREADABLE;
  }
  return { value: copy ?? null, truncated: copier.truncated, bytes: copier.limit - copier.left };
}

const UNREADABLE = '[unreadable]';
const TOO_DEEP = '[cut: depth]';
const CIRCULAR = '[circular]';
const LONGEST_KEY = 1024;
const LONGEST_NAME = 128;

class Copier {
  readonly limit: number;
  left: number;
  truncated = false;
  readonly #limits: Readonly<Required<SnapshotLimits>>;
  readonly #ancestors: object[] = [];

  constructor(limits: Readonly<Required<SnapshotLimits>>) {
    this.#limits = limits;
    this.limit = limits.bytes;
    this.left = limits.bytes;
  }

  /** The copy, or `undefined` for `undefined`. May throw for a hostile object; the caller's loop catches. */
  copy(value: unknown, depth: number): JsonValue | undefined {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        this.left -= 8;
        // Adding 0 turns -0, which JSON cannot tell, into 0.
        return Number.isFinite(value) ? value + 0 : String(value);
      case 'boolean':
        this.left -= 5;
        return value;
      case 'object':
        if (value !== null) return this.#object(value, depth);
        this.left -= 4;
        return null;
      case 'undefined':
        this.left -= 4;
        return undefined;
      case 'bigint':
        return this.#bigint(value);
      case 'symbol':
        return this.#text(`[symbol ${cutString(value.description ?? '', LONGEST_NAME)}]`);
      default:
        return this.#text(`[function ${cutString(String((value as { name?: unknown }).name ?? ''), LONGEST_NAME)}]`);
    }
  }

  #text(text: string): string {
    const cut = text.length > this.#limits.string ? cutString(text, this.#limits.string) : text;
    const clean = wellFormed(cut);
    const bytes = utf8Length(clean) + 2;
    if (clean.length < text.length) this.truncated = true;
    if (bytes <= this.left) {
      this.left -= bytes;
      return clean;
    }
    this.truncated = true;
    // Cut from the whole text, so that the mark counts all that is missing.
    const short = wellFormed(cutToBytes(text, this.left - 2));
    this.left = 0;
    return short;
  }

  #bigint(value: bigint): string {
    // Digits of a number of a million bits take quadratic time.
    const small = BigInt.asIntN(4096, value) === value;
    if (!small) this.truncated = true;
    return this.#text(small ? value.toString() : '[bigint over 4096 bits]');
  }

  #object(value: object, depth: number): JsonValue | undefined {
    if (this.#ancestors.includes(value)) return this.#mark(CIRCULAR);
    if (depth >= this.#limits.depth) {
      this.truncated = true;
      return this.#mark(TOO_DEEP);
    }
    this.left -= 2;
    this.#ancestors.push(value);
    try {
      if (Array.isArray(value)) return this.#array(value, lengthOf(value), depth + 1);
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) {
        const exotic = exoticOf(value);
        if (exotic !== undefined) return this.#exotic(exotic, depth);
      }
      const keys = Object.keys(value);
      return this.#fields(value as Record<string, unknown>, keys, keys.length, depth + 1);
    } finally {
      this.#ancestors.pop();
    }
  }

  /** `length` counts what `source` stands for, which may be more than it holds. */
  #array(source: readonly unknown[], length: number, depth: number): JsonValue[] {
    const end = Math.min(length, this.#limits.breadth);
    const target: JsonValue[] = [];
    let i = 0;
    // One `try` for the loop, entered again after an item that throws, costs nothing where none does.
    while (i < end && this.left > 0) {
      try {
        for (; i < end && this.left > 0; i++) {
          this.left -= 1;
          target.push(this.copy(source[i], depth) ?? null);
        }
      } catch {
        target.push(this.#mark(UNREADABLE));
        i++;
      }
    }
    if (i < length) {
      this.truncated = true;
      target.push(this.#mark(`…[+${length - i} items]`));
    }
    return target;
  }

  #fields(source: Record<string, unknown>, keys: readonly string[], length: number, depth: number): JsonObject {
    const end = Math.min(keys.length, this.#limits.breadth);
    const target: JsonObject = {};
    let i = 0;
    while (i < end && this.left > 0) {
      const start = i;
      try {
        for (; i < end && this.left > 0; i++) {
          const key = keys[i] as string;
          const name = this.#key(key);
          if (name === undefined) break;
          const copy = this.copy(source[key], depth);
          if (copy !== undefined) setOwn(target, name, copy);
        }
        if (i === start) break;
      } catch {
        setOwn(target, this.#key(keys[i] as string) ?? UNREADABLE, this.#mark(UNREADABLE));
        i++;
      }
    }
    if (i < length) {
      this.truncated = true;
      target['…'] = this.#mark(`[+${length - i} keys]`);
    }
    return target;
  }

  /** The key as written, its bytes taken off; `undefined` when they do not fit, and then nothing more does. */
  #key(key: string): string | undefined {
    let name = key;
    if (key.length > LONGEST_KEY) {
      this.truncated = true;
      name = cutString(key, LONGEST_KEY);
    }
    name = wellFormed(name);
    const bytes = utf8Length(name) + 4;
    if (bytes > this.left) {
      this.left = 0;
      return undefined;
    }
    this.left -= bytes;
    return name;
  }

  #mark(text: string): string {
    this.left -= utf8Length(text) + 2;
    return text;
  }

  #exotic(exotic: Exotic, depth: number): JsonValue | undefined {
    switch (exotic.kind) {
      case 'scalar':
        return this.copy(exotic.value, depth);
      case 'list':
        return this.#array(take(exotic.items, this.#limits.breadth), exotic.size, depth + 1);
      case 'pairs':
        return this.#pairs(take(exotic.entries, this.#limits.breadth), exotic.size, depth + 1);
      case 'error':
        return this.#error(exotic.error, depth + 1);
    }
  }

  #pairs(entries: readonly [unknown, unknown][], size: number, depth: number): JsonValue {
    const source: Record<string, unknown> = Object.create(null);
    for (const [key, item] of entries) {
      if (typeof key !== 'string') return this.#array(entries, size, depth);
      source[key] = item;
    }
    return this.#fields(source, Object.keys(source), size, depth);
  }

  #error(error: object, depth: number): JsonObject {
    const keys = ['name', 'message'];
    if (Object.hasOwn(error, 'cause')) keys.push('cause');
    if (Object.hasOwn(error, 'errors')) keys.push('errors');
    const named = new Set([...keys, 'stack']);
    for (const key of Object.keys(error)) if (!named.has(key)) keys.push(key);
    return this.#fields(error as Record<string, unknown>, keys, keys.length, depth);
  }
}

function take<T>(items: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length >= count) break;
    taken.push(item);
  }
  return taken;
}

/** A proxy of an array may report anything as its length. */
function lengthOf(array: readonly unknown[]): number {
  const length: unknown = array.length;
  return typeof length === 'number' && length > 0 ? length : 0;
}
