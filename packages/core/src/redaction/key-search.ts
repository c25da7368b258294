import { API_KEY_PREFIXES } from './api-keys.js';
import type { Marker, PatternKind } from './kinds.js';

interface KeyForm {
  readonly kind: PatternKind;
  readonly prefix: string;
  /** Matches what follows the prefix. */
  readonly body: RegExp;
  readonly check: (key: string) => boolean;
}

/**
 * Words are joined with dashes too. What is drawn at random has a digit or letters of both cases side by side; what has
 * neither is one long piece.
 */
const LOOKS_RANDOM = /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]{20}|A[A-Z]{10}/;
const looksRandom = (match: string): boolean => LOOKS_RANDOM.test(match);
export const isMixed = (match: string): boolean => /[a-z]/.test(match) && /[A-Z]/.test(match) && /\d/.test(match);

/** By the first character of a key. Made when first asked for: most programs load this and never redact. */
let forms: KeyForm[][] | undefined;

function formsByStart(): readonly (readonly KeyForm[] | undefined)[] {
  if (forms !== undefined) return forms;
  const table: KeyForm[][] = Array.from({ length: 128 }, () => []);
  const add = (form: KeyForm) => table[form.prefix.charCodeAt(0)]?.push(form);
  for (const [prefixes, source] of API_KEY_PREFIXES) {
    const body = new RegExp(source, 'y');
    for (const prefix of prefixes.split(' ')) add({ kind: 'api_key', prefix, body, check: looksRandom });
  }
  // In the middle of something longer `eyJ` is chance.
  const jwt = /(?<![_-]eyJ)[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/y;
  add({ kind: 'jwt', prefix: 'eyJ', body: jwt, check: () => true });
  // A bot of Discord: its id, a time, a code.
  const discord = /[A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/y;
  for (const prefix of 'MNO') add({ kind: 'bot_token', prefix, body: discord, check: isMixed });
  forms = table;
  return table;
}

/** Masks keys of vendors that start at one of some places, in ascending order. */
export function redactKeys(text: string, places: readonly number[], marker: Marker): string {
  let result = '';
  let done = 0;
  let next = 0;
  for (const at of places) {
    if (at < next || (isAlphanumeric(text.charCodeAt(at - 1)) && !isAfterEscape(text, at))) continue;
    for (const { kind, prefix, body, check } of formsByStart()[text.charCodeAt(at)] ?? []) {
      if (!text.startsWith(prefix, at) || !marker.has(kind)) continue;
      body.lastIndex = at + prefix.length;
      if (!body.test(text)) continue;
      const key = text.slice(at, body.lastIndex);
      // Where a whole is not random, none of its parts is: nothing is looked at twice.
      next = at + key.length;
      if (!check(key)) continue;
      result += text.slice(done, at) + marker.mark(kind, key);
      done = next;
      break;
    }
  }
  return done === 0 ? text : result + text.slice(done);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** Behind an escape (`\n`, `%20`, `\u0022`) a word starts, though a letter stands before it. */
function isAfterEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at - 2) === BACKSLASH) return 'nrtbf'.includes(text[at - 1] ?? '');
  if (text.charCodeAt(at - 3) === PERCENT) return HEX.test(text.slice(at - 2, at));
  return text.charCodeAt(at - 6) === BACKSLASH && UNICODE.test(text.slice(at - 6, at));
}

const BACKSLASH = 92;
const PERCENT = 37;
const HEX = /^[0-9A-Fa-f]{2}$/;
const UNICODE = /^\\u[0-9A-Fa-f]{4}$/;
