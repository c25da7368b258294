import { redactText } from '@hermes-observer/core';
import type { Capture } from './capture.js';
import { label } from './values.js';

/**
 * Ids as agents and model APIs make them: a prefix and letters; times, hexadecimal digits and counts. Most ids of tool
 * calls are seen once, so they are not searched.
 */
const USUAL =
  /^(?:(?:call|toolu|msg|chatcmpl|run|resp|req)[_-](?:\d{1,6}_){0,4}[A-Za-z0-9]{1,40}|\d{8}_\d{6}_[0-9a-f]{4,12}(?::\d{8}_\d{6}_[0-9a-f]{4,12})?(?::[0-9a-f]{4,12})?(?::api:\d{1,6})?)$/;

/** An id as it may leave: what it holds of a secret, or of a person's number or address, is masked unless all may leave. */
export function idLabel(value: unknown, capture: Capture): string | undefined {
  if (typeof value === 'string' && (isShortWord(value) || USUAL.test(value))) return value;
  const id = label(value);
  return id === undefined || capture === 'full' ? id : redactText(id);
}

/** No key is shorter than this, and no number or address of a person is of letters, digits and `_` alone. */
const SHORTEST_SECRET = 14;

function isShortWord(text: string): boolean {
  const { length } = text;
  if (length >= SHORTEST_SECRET) return false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (!isLetter && (code < 0x30 || code > 0x39) && code !== 0x5f) return false;
  }
  return length > 0;
}

/** An id that is the same from span to span: the last one is remembered. */
export class RepeatedId {
  #value: unknown = undefined;
  #capture: Capture | undefined = undefined;
  #label: string | undefined = undefined;

  /** @param turnId of the record, where it may leave as it is: of an id that is made of it and a count no more is asked. */
  of(value: unknown, capture: Capture, turnId?: string): string | undefined {
    if (value !== this.#value || capture !== this.#capture) {
      const isOfTurn = turnId !== undefined && isCounted(value, turnId);
      this.#label = isOfTurn ? (value as string) : idLabel(value, capture);
      this.#value = value;
      this.#capture = capture;
    }
    return this.#label;
  }
}

const API = ':api:';

/** Agents make ids of requests so. */
function isCounted(id: unknown, turnId: string): boolean {
  if (typeof id !== 'string') return false;
  let at = turnId.length + API.length;
  if (id.length <= at || id.length > at + 6) return false;
  // V8 compares two texts word by word, and `startsWith` letter by letter.
  if (id.slice(0, turnId.length) !== turnId || !id.startsWith(API, turnId.length)) return false;
  for (; at < id.length; at++) {
    const code = id.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}
