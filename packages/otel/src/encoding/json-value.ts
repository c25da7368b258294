import { MOST_LEVELS } from './encoding.js';
import type { JsonWriter } from './json-writer.js';

const MOST_NAMES = 2_000;
const LONGEST_NAME = 100;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text));
const STRING = bytesOf('{"stringValue":');
const CLOSE_STRING = bytesOf('}}');
const INT = bytesOf('{"intValue":');
const DOUBLE = bytesOf('{"doubleValue":');
const TRUE = bytesOf('{"boolValue":true}');
const FALSE = bytesOf('{"boolValue":false}');
const NONE = bytesOf('{}');
const ARRAY = bytesOf('{"arrayValue":{"values":[');
const CLOSE_ARRAY = bytesOf(']}}');
const BYTES = bytesOf('{"bytesValue":');
const MAP = bytesOf('{"kvlistValue":{"values":');
const CLOSE_MAP = bytesOf('}}');
/** In a loop over the names of an object V8 leaves this out, and `Object.hasOwn` not. */
const isOwn = Object.prototype.hasOwnProperty;

/** What stands before a value: any, and one that is a string, up to its first quote. */
interface Name {
  readonly any: Uint8Array;
  readonly string: Uint8Array;
}

/** By key: the same few names come again and again. */
const names = new Map<string, Name>();

/** Attributes as a list of `KeyValue`. */
export function writeJsonAttributes(
  writer: JsonWriter,
  attributes: Readonly<Record<string, unknown>>,
  level = 0,
): void {
  const start = writer.size;
  for (const key in attributes) {
    if (!isOwn.call(attributes, key)) continue;
    const value = attributes[key];
    const name = names.get(key) ?? nameOf(key);
    if (typeof value === 'string') {
      writer.piece(name.string);
      writer.string(value);
      writer.piece(CLOSE_STRING);
    } else {
      writer.piece(name.any);
      writeJsonValue(writer, value, level);
      writer.byte(CLOSE_OBJECT);
    }
  }
  // Each has a comma before it, and the list begins where the first one is.
  if (writer.size === start) writer.byte(OPEN_LIST);
  else writer.replace(start, OPEN_LIST);
  writer.byte(CLOSE_LIST);
}

function nameOf(key: string): Name {
  const before = `,{"key":${JSON.stringify(key)},"value":`;
  const name: Name = { any: bytesOf(before), string: bytesOf(`${before}{"stringValue":`) };
  if (names.size < MOST_NAMES && key.length < LONGEST_NAME) names.set(key, name);
  return name;
}

/** An `AnyValue`. What JSON or a reader of it cannot take is written as a string: NaN, infinities, whole numbers from 2^53 on. */
function writeJsonValue(writer: JsonWriter, value: unknown, level: number): void {
  switch (typeof value) {
    case 'string':
      writeString(writer, value);
      break;
    case 'number':
      writeNumber(writer, value);
      break;
    case 'boolean':
      writer.piece(value ? TRUE : FALSE);
      break;
    case 'bigint':
      writeString(writer, String(value));
      break;
    case 'object':
      if (value !== null && level < MOST_LEVELS) {
        writeObject(writer, value, level + 1);
        break;
      }
      writer.piece(NONE);
      break;
    default:
      writer.piece(NONE);
  }
}

function writeString(writer: JsonWriter, text: string): void {
  writer.piece(STRING);
  writer.string(text);
  writer.byte(CLOSE_OBJECT);
}

function writeNumber(writer: JsonWriter, value: number): void {
  if (!isSafe(value)) {
    writeString(writer, String(value));
    return;
  }
  writer.piece(Number.isInteger(value) ? INT : DOUBLE);
  writer.number(value);
  writer.byte(CLOSE_OBJECT);
}

function writeObject(writer: JsonWriter, value: object, level: number): void {
  if (Array.isArray(value)) {
    // One number that has to be a string makes strings of all: backends want lists of one type.
    const asTexts = value.some((item) => typeof item === 'number' && !isSafe(item));
    writer.piece(ARRAY);
    for (let i = 0; i < value.length; i++) {
      if (i > 0) writer.byte(COMMA);
      writeJsonValue(writer, asTexts ? String(value[i] ?? '') : value[i], level);
    }
    writer.piece(CLOSE_ARRAY);
  } else if (value instanceof Uint8Array) {
    writer.piece(BYTES);
    writer.string(Buffer.from(value).toString('base64'));
    writer.byte(CLOSE_OBJECT);
  } else {
    writer.piece(MAP);
    writeJsonAttributes(writer, value as Record<string, unknown>, level);
    writer.piece(CLOSE_MAP);
  }
}

/** Fractions are below 2^52; false for NaN. */
const isSafe = (value: number) => value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
