import type { JsonObject, JsonValue } from '../snapshot/json.js';
import { setOwn } from '../snapshot/json.js';
import { isPin, looksLikeCredentials } from './harmless-values.js';
import type { RedactionPath } from './options.js';
import type { KeyKind } from './secret-keys.js';

/** What a walk through data asks of whoever redacts. */
export interface Tree {
  kindOf(name: string): KeyKind | undefined;
  /** What stands for a whole value; `undefined` where it goes. */
  mark(kind: KeyKind, value: JsonValue): JsonValue | undefined;
  /** A value that is no list and no object; `undefined` where it goes. */
  leaf(value: string | number | boolean | null, path: RedactionPath): JsonValue | undefined;
  name(name: string): string;
  /** Whether anybody asks for paths. */
  readonly hasPaths: boolean;
  /** Whether the data are somebody else's: then a part that stays as it is is copied too. */
  readonly copies: boolean;
}

/**
 * Data with its values redacted, as a copy as far as it changes or `copies` says so: leaves as they are, and whole values under names that tell a secret. Also
 * `{ name: 'PASSWORD', value }`, `['Authorization', value]` and `['--token', value]`. Booleans, `null`, `''` and counts of
 * tokens stay under such names, and so does a JSON Schema that describes a field of such a name.
 */
export function redactTree(value: JsonValue, path: RedactionPath, tree: Tree): JsonValue {
  return redactAny(value, path, tree) ?? null;
}

function redactAny(value: JsonValue, path: RedactionPath, tree: Tree): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return tree.leaf(value, path);
  return Array.isArray(value) ? redactList(value, path, tree) : redactObject(value, path, tree);
}

const below = (path: RedactionPath, key: string | number, tree: Tree): RedactionPath =>
  tree.hasPaths ? [...path, key] : path;

function redactList(list: JsonValue[], path: RedactionPath, tree: Tree): JsonValue[] {
  let result: JsonValue[] | undefined;
  let named: KeyKind | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    const kept = redactEntry(item, named, below(path, i, tree), tree);
    if (result === undefined && kept !== item) result = list.slice(0, i);
    if (kept !== undefined) result?.push(kept);
    const names = typeof item === 'string' && (list.length === 2 ? i === 0 : item.startsWith('-'));
    named = names ? tree.kindOf(item) : undefined;
  }
  return result ?? (tree.copies ? list.slice() : list);
}

function redactObject(source: JsonObject, path: RedactionPath, tree: Tree): JsonObject {
  let result: JsonObject | undefined;
  const label = source.name ?? source.key ?? source.header;
  let counts: Map<string, number> | undefined;
  const labelled = typeof label === 'string' ? tree.kindOf(label) : undefined;
  const keys = Object.keys(source);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const item = source[key] as JsonValue;
    const kind = tree.kindOf(key) ?? (key === 'value' ? labelled : undefined);
    const kept = redactEntry(item, kind, below(path, key, tree), tree);
    const name = tree.name(key);
    if (result === undefined) {
      if (kept === item && name === key) continue;
      result = firstOf(source, keys, i);
    }
    if (kept === undefined) continue;
    if (Object.hasOwn(result, name)) counts ??= new Map();
    setOwn(result, counts === undefined ? name : freeName(result, name, counts), kept);
  }
  return result ?? (tree.copies ? firstOf(source, keys, keys.length) : source);
}

/** A copy of the first fields of an object. */
function firstOf(source: JsonObject, keys: readonly string[], count: number): JsonObject {
  const copy: JsonObject = {};
  for (let i = 0; i < count; i++) setOwn(copy, keys[i] as string, source[keys[i] as string] as JsonValue);
  return copy;
}

/** Two names may be masked alike. `counts`: where to go on counting, for many of them would take for ever. */
function freeName(target: JsonObject, name: string, counts: Map<string, number>): string {
  if (!Object.hasOwn(target, name)) return name;
  let count = counts.get(name) ?? 2;
  while (Object.hasOwn(target, `${name}#${count}`)) count++;
  counts.set(name, count + 1);
  return `${name}#${count}`;
}

/** A value that stands under a name of a kind, or under none that tells anything. `undefined`: it goes. */
export function redactEntry(
  value: JsonValue,
  kind: KeyKind | undefined,
  path: RedactionPath,
  tree: Tree,
): JsonValue | undefined {
  if (kind === undefined) return redactAny(value, path, tree);
  if (value === null || value === '' || typeof value === 'boolean') return value;
  if (kind === 'own') return tree.mark(kind, value);
  if (kind === 'weak' && typeof value === 'number') return value;
  if (kind === 'digits' && !isPin(String(value))) return redactAny(value, path, tree);
  if (typeof value === 'object') {
    if (kind === 'pii') return redactAny(value, path, tree);
    if (kind === 'auth' && !Array.isArray(value)) return redactAny(value, path, tree);
    if (Object.keys(value).length === 0) return value;
    if (isSchema(value)) return redactSchema(value, kind, path, tree);
  } else if (kind === 'auth' && !looksLikeCredentials(String(value))) {
    return redactAny(value, path, tree);
  }
  return tree.mark(kind, value);
}

const SCHEMA_WORDS = new Set(
  (
    'type title description format default const enum example examples items properties required additionalProperties ' +
    'minLength maxLength minimum maximum pattern anyOf oneOf allOf $ref nullable deprecated readOnly writeOnly minItems maxItems'
  ).split(' '),
);
const SCHEMA_CONTENT = new Set(['default', 'const', 'enum', 'example', 'examples']);

function isSchema(value: JsonValue[] | JsonObject): value is JsonObject {
  if (Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => SCHEMA_WORDS.has(key));
}

function redactSchema(schema: JsonObject, kind: KeyKind, path: RedactionPath, tree: Tree): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(schema)) {
    const item = schema[key] as JsonValue;
    const kept = SCHEMA_CONTENT.has(key) ? tree.mark(kind, item) : redactAny(item, below(path, key, tree), tree);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}
