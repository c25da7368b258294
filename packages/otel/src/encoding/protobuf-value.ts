import { MOST_LEVELS } from './encoding.js';
import type { ProtobufWriter } from './protobuf-writer.js';

/** Field numbers of opentelemetry/proto/common/v1/common.proto, with their wire types. */
const KEY = 0x0a;
const VALUE = 0x12;
const STRING_VALUE = 0x0a;
const BOOL_VALUE = 0x10;
const INT_VALUE = 0x18;
const DOUBLE_VALUE = 0x21;
const ARRAY_VALUE = 0x2a;
const KVLIST_VALUE = 0x32;
const BYTES_VALUE = 0x3a;
const VALUES = 0x0a;
/** In a loop over the names of an object V8 leaves this out, and `Object.hasOwn` not. */
const isOwn = Object.prototype.hasOwnProperty;

/** Attributes as repeated `KeyValue`s of the field `tag`. */
export function writeAttributes(
  writer: ProtobufWriter,
  tag: number,
  attributes: Readonly<Record<string, unknown>>,
  level = 0,
): void {
  for (const key in attributes) {
    if (!isOwn.call(attributes, key)) continue;
    const pair = writer.begin(tag);
    writer.string(KEY, key);
    const value = writer.begin(VALUE);
    writeValue(writer, attributes[key], level);
    writer.end(value);
    writer.end(pair);
  }
}

/** What stands in an `AnyValue`, as the JSON encoding has it: what JSON cannot hold is a string here too. */
function writeValue(writer: ProtobufWriter, value: unknown, level: number): void {
  switch (typeof value) {
    case 'string':
      writer.string(STRING_VALUE, value);
      break;
    case 'number':
      writeNumber(writer, value);
      break;
    case 'boolean':
      writer.uint(BOOL_VALUE, value ? 1 : 0);
      break;
    case 'bigint':
      writer.string(STRING_VALUE, String(value));
      break;
    case 'object':
      if (value !== null && level < MOST_LEVELS) writeObject(writer, value, level + 1);
  }
}

function writeNumber(writer: ProtobufWriter, value: number): void {
  if (Number.isSafeInteger(value)) writer.int(INT_VALUE, value);
  else if (isSafe(value)) writer.double(DOUBLE_VALUE, value);
  else writer.string(STRING_VALUE, String(value));
}

function writeObject(writer: ProtobufWriter, value: object, level: number): void {
  if (Array.isArray(value)) {
    const asTexts = value.some((item) => typeof item === 'number' && !isSafe(item));
    const list = writer.begin(ARRAY_VALUE);
    for (const item of value) {
      const one = writer.begin(VALUES);
      writeValue(writer, asTexts ? String(item ?? '') : item, level);
      writer.end(one);
    }
    writer.end(list);
  } else if (value instanceof Uint8Array) {
    writer.message(BYTES_VALUE, value);
  } else {
    const map = writer.begin(KVLIST_VALUE);
    writeAttributes(writer, VALUES, value as Record<string, unknown>, level);
    writer.end(map);
  }
}

const isSafe = (value: number) => value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
