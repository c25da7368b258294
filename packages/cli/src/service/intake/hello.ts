import { cutString, type Payload } from '@hermes-observer/core';

const LONGEST_TEXT = 256;
const MOST_FIELDS = 32;
const MOST_NAMES = 200;

/** What is kept of a hello: short texts, numbers, and lists of names, whatever else a producer may put in it. */
export function helloOf(payload: Payload): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(payload).slice(0, MOST_FIELDS)) {
    if (typeof value === 'string') kept[name] = cutString(value, LONGEST_TEXT);
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
    else if (Array.isArray(value)) {
      const texts = value.filter((item) => typeof item === 'string').slice(0, MOST_NAMES);
      kept[name] = texts.map((text) => cutString(text, LONGEST_TEXT));
    }
  }
  return kept;
}
