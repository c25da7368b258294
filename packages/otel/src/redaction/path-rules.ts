import { type JsonObject, type JsonValue, ObserverError, type Redactor } from '@hermes-observer/core';
import { loadPeer } from '../sdk/peer.js';

type Redact = (data: JsonObject) => JsonObject;
type MakeRedact = (options: {
  paths: string[];
  censor: (value: unknown) => unknown;
  remove: boolean;
  serialize: (data: JsonObject) => JsonObject;
}) => Redact;

/** The user's paths, applied to a set of fields whose values may be JSON texts. */
export class PathRules {
  readonly #redact: Redact;

  /**
   * @throws ObserverError `HO_PEER_MISSING` without `@pinojs/redact`, `HO_OPTION` for a path that is none.
   */
  constructor(paths: readonly string[], redactor: Redactor, removes: boolean) {
    const make = loadPeer<MakeRedact>('@pinojs/redact', 'redaction by paths');
    try {
      this.#redact = make({
        paths: [...paths],
        censor: (value) => (value === undefined ? undefined : redactor.mark('path', textOf(value))),
        remove: removes,
        // Left to itself it adds a function to the data.
        serialize: (data) => data,
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ObserverError('HO_OPTION', `redaction: paths: ${reason}`, { cause });
    }
  }

  /** The fields with what the paths name redacted. Untouched values are those that were given. */
  apply(fields: JsonObject): JsonObject {
    const data: JsonObject = Object.create(null);
    const parsed = new Set<string>();
    for (const name of Object.keys(fields)) {
      const value = fields[name] as JsonValue;
      const inner = typeof value === 'string' ? jsonIn(value) : undefined;
      if (inner !== undefined) parsed.add(name);
      data[name] = inner ?? value;
    }
    const redacted = this.#redact(data);
    const result: JsonObject = Object.create(null);
    for (const name of Object.keys(redacted)) {
      const [before, after] = [data[name] as JsonValue, redacted[name] as JsonValue];
      if (after === before || JSON.stringify(after) === JSON.stringify(before)) {
        result[name] = fields[name] as JsonValue;
      } else if (after !== undefined) {
        result[name] = parsed.has(name) && typeof after === 'object' ? JSON.stringify(after) : withoutHoles(after);
      }
    }
    return result;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** What a text holds as JSON, if that is a list or an object. */
function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s{0,64}[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What was removed of a list leaves holes. */
function withoutHoles(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.filter((item) => item !== undefined) : value;
}
