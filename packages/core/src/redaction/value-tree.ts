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
}

/**
 * A copy of data with its values redacted: leaves as they are, and whole values under names that tell a secret. Also
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

function redactList(list: readonly JsonValue[], path: RedactionPath, tree: Tree): JsonValue[] {
  const result: JsonValue[] = [];
  let named: KeyKind | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    const kept = redactEntry(item, named, below(path, i, tree), tree);
    if (kept !== undefined) result.push(kept);
    const names = typeof item === 'string' && (list.length === 2 ? i === 0 : item.startsWith('-'));
    named = names ? tree.kindOf(item) : undefined;
  }
  return result;
}

function redactObject(source: JsonObject, path: RedactionPath, tree: Tree): JsonObject {
  const result: JsonObject = {};
  const label = source.name ?? source.key ?? source.header;
  const counts = new Map<string, number>();
  const labelled = typeof label === 'string' ? tree.kindOf(label) : undefined;
  for (const key of Object.keys(source)) {
    const item = source[key] as JsonValue;
    const kind = tree.kindOf(key) ?? (key === 'value' ? labelled : undefined);
    const kept = redactEntry(item, kind, below(path, key, tree), tree);
    if (kept !== undefined) setOwn(result, freeName(result, tree.name(key), counts), kept);
  }
  return result;
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
