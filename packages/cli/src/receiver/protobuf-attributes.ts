import type { FactName, Facts } from '../traces/facts.js';
import type { SpanAttributes } from '../traces/span-source.js';
import { setAttribute } from './json-attributes.js';
import type { WireReader } from './wire-reader.js';

/** Tags of common/v1/common.proto: field numbers with their wire types. */
/** Of a span, in trace/v1/trace.proto. */
export const SPAN_ATTRIBUTE = 0x4a;
const FIRST = 0x0a;
const SECOND = 0x12;
const VALUE = { string: 0x0a, bool: 0x10, int: 0x18, double: 0x21, array: 0x2a, list: 0x32, bytes: 0x3a } as const;
const MOST_LEVELS = 16;

/** Calls `read` with the end of each attribute of a span. Behind what is no message there are none. */
export function eachAttribute(reader: WireReader, end: number, read: (end: number) => void): void {
  try {
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === SPAN_ATTRIBUTE) read(reader.length(end));
      else reader.skip(tag, end);
    }
  } catch {
    // It was shown as broken when it came.
  }
}

/** Pairs of a message that has nothing else of use. @param of their tag */
export function attributesIn(reader: WireReader, end: number, of: number, level = 0): SpanAttributes {
  const attributes: Record<string, unknown> = {};
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === of) readPair(reader, reader.length(end), attributes, level);
    else reader.skip(tag, end);
  }
  return attributes;
}

export function readPair(reader: WireReader, end: number, attributes: Record<string, unknown>, level = 0): void {
  let key: string | undefined;
  let value: unknown;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) key = reader.key(end);
    else if (tag === SECOND) value = valueIn(reader, reader.length(end), level);
    else reader.skip(tag, end);
  }
  if (key !== undefined) setAttribute(attributes, key, value);
}

/** A pair whose value is read if it is a fact, and else only looked at: nothing else is made of it. */
export function readFact(reader: WireReader, end: number, facts: { -readonly [Name in keyof Facts]: unknown }): void {
  let key: FactName | undefined;
  let valueAt = -1;
  let valueEnd = -1;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) key = reader.factKey(end);
    else if (tag === SECOND) {
      valueEnd = reader.length(end);
      valueAt = reader.at;
      reader.at = valueEnd;
    } else reader.skip(tag, end);
  }
  if (valueAt === -1) return;
  reader.at = valueAt;
  if (key !== undefined) facts[key] = valueIn(reader, valueEnd, 0) ?? facts[key];
  else checkValue(reader, valueEnd);
  reader.at = end;
}

/** @throws RangeError where reading it would */
function checkValue(reader: WireReader, end: number): void {
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === VALUE.array) arrayIn(reader, reader.length(end), 1);
    else if (tag === VALUE.list) attributesIn(reader, reader.length(end), FIRST, 1);
    else reader.skip(tag, end);
  }
}

function valueIn(reader: WireReader, end: number, level: number): unknown {
  let value: unknown;
  if (level > MOST_LEVELS) {
    reader.at = end;
    return undefined;
  }
  while (reader.at < end) {
    const tag = reader.varint();
    switch (tag) {
      case VALUE.string:
        value = reader.text(end);
        break;
      case VALUE.bool:
        value = reader.varint() !== 0;
        break;
      case VALUE.int:
        value = reader.int64();
        break;
      case VALUE.double:
        value = reader.double(end);
        break;
      case VALUE.array:
        value = arrayIn(reader, reader.length(end), level + 1);
        break;
      case VALUE.list:
        value = attributesIn(reader, reader.length(end), FIRST, level + 1);
        break;
      case VALUE.bytes: {
        const last = reader.length(end);
        value = reader.bytes.toString('base64', reader.at, last);
        reader.at = last;
        break;
      }
      default:
        reader.skip(tag, end);
    }
  }
  return value;
}

function arrayIn(reader: WireReader, end: number, level: number): unknown[] {
  const list: unknown[] = [];
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === FIRST) list.push(valueIn(reader, reader.length(end), level) ?? null);
    else reader.skip(tag, end);
  }
  return list;
}
