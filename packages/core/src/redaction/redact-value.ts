import type { JsonValue } from '../snapshot/json.js';
import { defaultRedactor } from './redact-text.js';

/**
 * A copy of JSON data with secrets and personal data masked: every string as `redactText` does, and whole values under
 * names that tell a secret (`api_key`, `clientSecret`, `Set-Cookie` …), at any depth. Also `{ name: 'PASSWORD', value }`,
 * `['Authorization', value]` and `['--token', value]`. Booleans, `null`, `''` and counts of tokens stay, and so does a
 * JSON Schema that describes a field of such a name. Fails closed: on any error the result is `[redacted]`.
 */
export function redactValue(value: JsonValue): JsonValue {
  return defaultRedactor().value(value);
}
