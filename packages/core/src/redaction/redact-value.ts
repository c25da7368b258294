import type { JsonObject, JsonValue } from '../snapshot/json.js';
import { setOwn } from '../snapshot/json.js';
import { REDACTED, redactText } from './redact-text.js';
import type { KeyKind } from './secret-keys.js';
import { keyKind } from './secret-keys.js';

/**
 * A copy of JSON data with secrets and personal data masked: every string as `redactText` does, and whole values under
 * names that tell a secret (`api_key`, `clientSecret`, `Set-Cookie` …), at any depth. Also `{ name: 'PASSWORD', value }`,
 * `['Authorization', value]` and `['--token', value]`. Booleans, `null`, `''` and counts of tokens stay, and so does a
 * JSON Schema that describes a field of such a name. Fails closed: on any error the result is `[redacted]`.
 */
export function redactValue(value: JsonValue): JsonValue {
  try {
    return redact(value);
  } catch {
    return REDACTED;
  }
}

function redact(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return redactNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactList(value) : redactObject(value);
}

/** The shortest card number has 14 digits. */
const SMALLEST_CARD = 1e13;

function redactNumber(value: number): JsonValue {
  if (value < SMALLEST_CARD) return value;
  const text = String(value);
  const masked = redactText(text);
  return masked === text ? value : masked;
}

function redactList(list: readonly JsonValue[]): JsonValue[] {
  const result: JsonValue[] = [];
  let named: KeyKind | undefined;
  for (const item of list) {
    result.push(named === undefined ? redact(item) : redactNamed(item, named));
    const names = typeof item === 'string' && (list.length === 2 ? result.length === 1 : item.startsWith('-'));
    named = names ? keyKind(item) : undefined;
  }
  return result;
}

function redactObject(source: JsonObject): JsonObject {
  const result: JsonObject = {};
  const label = source.name ?? source.key ?? source.header;
  const labelled = typeof label === 'string' ? keyKind(label) : undefined;
  for (const key of Object.keys(source)) {
    const item = source[key] as JsonValue;
    const kind = keyKind(key) ?? (key === 'value' ? labelled : undefined);
    setOwn(result, freeName(result, redactText(key)), kind === undefined ? redact(item) : redactNamed(item, kind));
  }
  return result;
}

/** Two names may be masked alike. */
function freeName(target: JsonObject, name: string): string {
  if (!Object.hasOwn(target, name)) return name;
  let count = 2;
  while (Object.hasOwn(target, `${name}#${count}`)) count++;
  return `${name}#${count}`;
}

/** The value under a name that tells its kind. */
function redactNamed(value: JsonValue, kind: KeyKind): JsonValue {
  if (value === null || value === '' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && kind === 'weak') return value;
  if (typeof value === 'object') {
    if (kind === 'pii') return redact(value);
    if (Object.keys(value).length === 0) return value;
    if (isSchema(value)) return redactSchema(value);
  }
  return kind === 'pii' ? '[redacted:pii]' : '[redacted:secret]';
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

function redactSchema(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(schema)) {
    result[key] = SCHEMA_CONTENT.has(key) ? '[redacted:secret]' : redact(schema[key] as JsonValue);
  }
  return result;
}
