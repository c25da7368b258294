import { type JsonObject, type JsonValue, REDACTED, type Redactor, redactText, snapshot } from '@hermes-observer/core';
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { PathRules } from './path-rules.js';

/** Redacts sets of attributes: of a span, an event, a link or a resource. */
export class FieldRedaction {
  readonly #redactor: Redactor;
  readonly #paths: PathRules | undefined;

  constructor(redactor: Redactor, paths: PathRules | undefined) {
    this.#redactor = redactor;
    this.#paths = paths;
  }

  /** A copy, with names and values redacted. Values that no attribute may have are copied safely before. */
  redact(attributes: Attributes, path: readonly (string | number)[]): Attributes {
    const fields: JsonObject = Object.create(null);
    const bytes: [name: string, value: Uint8Array][] = [];
    for (const name of Object.keys(attributes)) {
      const value: unknown = attributes[name];
      if (value === undefined) continue;
      if (value instanceof Uint8Array) bytes.push([name, value]);
      else {
        const kept = this.#redactor.entry(name, jsonOf(value), [...path, name]);
        if (kept !== undefined) fields[freeName(fields, this.#redactor.name(name))] = kept;
      }
    }
    const result = { ...this.#byPath(fields) } as Attributes;
    for (const [name, value] of bytes) {
      const kept = this.#bytes(name, value);
      if (kept !== undefined) result[this.#redactor.name(name)] = kept as AttributeValue;
    }
    return result;
  }

  #byPath(fields: JsonObject): JsonObject {
    if (this.#paths === undefined) return fields;
    try {
      return this.#paths.apply(fields);
    } catch {
      // Nobody knows which of them a path was for.
      return Object.fromEntries(Object.keys(fields).map((name) => [name, REDACTED]));
    }
  }

  /** Bytes stay bytes, unless they are a text with something to hide, or their name tells that. */
  #bytes(name: string, value: Uint8Array): Uint8Array | JsonValue | undefined {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
    const kept = this.#redactor.entry(name, text);
    return kept === text && redactText(text) === text ? value : kept;
  }
}

function jsonOf(value: unknown): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || value === null) {
    return value;
  }
  // A copy of a list would lose what exporters mend themselves: `NaN`, and holes.
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
  return isPlain ? (value as JsonValue[]) : snapshot(value);
}

function freeName(fields: JsonObject, name: string): string {
  let free = name;
  for (let count = 2; free in fields; count++) free = `${name}#${count}`;
  return free;
}
