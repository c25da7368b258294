/** Levels and values of arguments. What has more is refused as a whole. */
const DEEPEST = 200;
const MOST_VALUES = 2_000_000;

/** A value as it was at one moment: nobody can change it, and nobody's code runs when it is read. */
export interface FrozenValue<T> {
  /** Plain objects and arrays are copies, frozen all the way down, with sorted keys. Anything that JSON has no word for is shared. */
  readonly value: T;
  /** Canonical JSON: sorted keys, no spaces. `undefined` where JSON cannot say it exactly. */
  readonly json: string | undefined;
  /** Why JSON cannot say it, with the place: `amount is NaN`. `undefined` where it can. */
  readonly problem: string | undefined;
}

/**
 * A frozen copy of a value, and its canonical JSON (RFC 8785: keys sorted by UTF-16 units; `-0` stays `-0`). Reads each
 * property once. Throws an `UnreadableError` for what is deeper than 200 levels or has more than two million values, and whatever
 * a getter or a proxy throws.
 */
export function frozenCopy<T>(value: T, name = 'args'): FrozenValue<T> {
  const copier = new Copier();
  const copy = copier.copy(value, []) as T;
  return new Frozen(copy, copier, name);
}

/** Its text is made when it is first asked for: most calls need none. */
class Frozen<T> implements FrozenValue<T> {
  readonly value: T;
  readonly problem: string | undefined;
  readonly #isNatural: boolean;
  #json: string | undefined;

  constructor(value: T, { problem, isNatural }: Copier, name: string) {
    this.value = value;
    this.problem = problem === undefined ? undefined : `${placeOf(name, problem.path)} ${problem.what}`;
    this.#isNatural = isNatural;
  }

  get json(): string | undefined {
    if (this.problem !== undefined) return undefined;
    this.#json ??= this.#isNatural ? JSON.stringify(this.value) : textOf(this.value);
    return this.#json;
  }
}

/** What `JSON.stringify` says otherwise: `-0`, and keys that look like places of a list, which objects put first. */
function textOf(value: unknown): string {
  if (typeof value === 'number' && Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${textOf((value as Record<string, unknown>)[key])}`);
  return `{${fields.join(',')}}`;
}

/** Canonical JSON of a value. Throws a `TypeError` that says what JSON cannot say, and where. */
export function canonicalJson(value: unknown, name = 'value'): string {
  const { json, problem } = frozenCopy(value, name);
  if (json === undefined) throw new TypeError(`no exact JSON: ${problem}`);
  return json;
}

/** A value without an end, or too large. Its text quotes nothing of the value. */
export class UnreadableError extends TypeError {}

class Copier {
  problem: { readonly path: readonly (string | number)[]; readonly what: string } | undefined = undefined;
  /** `JSON.stringify` says of the copy what canonical JSON is. */
  isNatural = true;
  readonly #open: object[] = [];
  #values = 0;

  copy(value: unknown, path: (string | number)[]): unknown {
    if (++this.#values > MOST_VALUES) throw new UnreadableError(`more than ${MOST_VALUES} values`);
    switch (typeof value) {
      case 'string':
        this.#text(value, path);
        return value;
      case 'number':
        if (!Number.isFinite(value)) this.#refuse(path, `is ${value}`);
        else if (value === 0 && Object.is(value, -0)) this.isNatural = false;
        return value;
      case 'boolean':
        return value;
      case 'object':
        return value === null ? value : this.#object(value, path);
      default:
        this.#refuse(path, value === undefined ? 'is undefined' : `is a ${typeof value}`);
        return value;
    }
  }

  #text(text: string, path: (string | number)[]): void {
    if (!(text as WellFormedText).isWellFormed()) this.#refuse(path, 'has half a surrogate pair');
  }

  #object(value: object, path: (string | number)[]): unknown {
    if (path.length >= DEEPEST) throw new UnreadableError(`deeper than ${DEEPEST} levels`);
    if (this.#open.includes(value)) throw new UnreadableError('contains itself');
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) {
      this.#refuse(path, `is ${classOf(value)}`);
      return value;
    }
    this.#open.push(value);
    const copy = isList ? this.#list(value, path) : this.#map(value as Record<string, unknown>, path);
    this.#open.pop();
    return Object.freeze(copy);
  }

  #list(list: readonly unknown[], path: (string | number)[]): unknown[] {
    const { length } = list;
    if (length > MOST_VALUES) throw new UnreadableError(`more than ${MOST_VALUES} values`);
    if (Reflect.ownKeys(list).length !== length + 1)
      this.#refuse(path, 'is a list with holes or with properties of its own');
    const copy: unknown[] = [];
    for (let i = 0; i < length; i++) {
      path.push(i);
      copy.push(this.copy(list[i], path));
      path.pop();
    }
    return copy;
  }

  #map(map: Record<string, unknown>, path: (string | number)[]): Record<string, unknown> {
    const keys = Object.keys(map).sort();
    if (Reflect.ownKeys(map).length !== keys.length)
      this.#refuse(path, 'has properties that are hidden or named by symbols');
    const copy: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      path.push(key);
      this.#text(key, path);
      const item = this.copy(map[key], path);
      path.pop();
      const first = key.charCodeAt(0);
      if (first >= 0x30 && first <= 0x39) this.isNatural = false;
      // `copy.__proto__ = item` would set its prototype.
      if (key === '__proto__') define(copy, key, item);
      else copy[key] = item;
    }
    return copy;
  }

  #refuse(path: readonly (string | number)[], what: string): void {
    this.problem ??= { path: [...path], what };
  }
}

/** Every Node.js that we run on has it; the language level that we compile for does not. */
type WellFormedText = string & { isWellFormed(): boolean };

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function classOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return `an object of a class (${/^\w{1,40}$/.test(tag) ? tag : 'Object'})`;
}

const LONGEST_KEY = 40;

function placeOf(name: string, path: readonly (string | number)[]): string {
  let place = name;
  for (const part of path) {
    if (typeof part === 'number') place += `[${part}]`;
    else if (/^[A-Za-z_$][\w$]{0,39}$/.test(part)) place += `.${part}`;
    else place += `[${JSON.stringify(part.slice(0, LONGEST_KEY))}]`;
  }
  return place;
}
