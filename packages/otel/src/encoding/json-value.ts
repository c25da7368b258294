import { MOST_LEVELS } from './encoding.js';
import type { JsonWriter } from './json-writer.js';

const MOST_NAMES = 2_000;
const LONGEST_NAME = 100;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const KEY = ascii('{"key":');
const VALUE = ascii(',"value":');
const STRING = ascii('{"stringValue":');
const INT = ascii('{"intValue":');
const DOUBLE = ascii('{"doubleValue":');
const TRUE = ascii('{"boolValue":true}');
const FALSE = ascii('{"boolValue":false}');
const NONE = ascii('{}');
const ARRAY = ascii('{"arrayValue":{"values":[');
const CLOSE_ARRAY = ascii(']}}');
const BYTES = ascii('{"bytesValue":');
const MAP = ascii('{"kvlistValue":{"values":');
const CLOSE_MAP = ascii('}}');

/** `{"key":…,"value":` by key: the same few names come again and again. */
const names = new Map<string, Uint8Array>();

/** Attributes as a list of `KeyValue`. */
export function writeJsonAttributes(
  writer: JsonWriter,
  attributes: Readonly<Record<string, unknown>>,
  level = 0,
): void {
  writer.byte(OPEN_LIST);
  let isFirst = true;
  for (const key in attributes) {
    if (!Object.hasOwn(attributes, key)) continue;
    if (isFirst) isFirst = false;
    else writer.byte(COMMA);
    writeName(writer, key);
    writeJsonValue(writer, attributes[key], level);
    writer.byte(CLOSE_OBJECT);
  }
  writer.byte(CLOSE_LIST);
}

function writeName(writer: JsonWriter, key: string): void {
  const known = names.get(key);
  if (known !== undefined) {
    writer.piece(known);
    return;
  }
  if (names.size < MOST_NAMES && key.length < LONGEST_NAME) {
    names.set(key, Uint8Array.from(Buffer.from(`{"key":${JSON.stringify(key)},"value":`)));
  }
  writer.piece(KEY);
  writer.string(key);
  writer.piece(VALUE);
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
