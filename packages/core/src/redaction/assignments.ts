import { isPin, isWord, looksLikeCredentials, staysBare, staysQuoted } from './harmless-values.js';
import { type KeyNames, markOf, STEM_AT } from './key-names.js';
import type { Marker } from './kinds.js';
import { netrcPassword } from './netrc.js';
import type { KeyKind } from './secret-keys.js';
import { blockScalar, closingBracket, closingQuote, matchAt } from './value-end.js';

/**
 * What may stand between a name and its value: a closing quote (escaped in nested JSON); `"value":` where the name is
 * itself a value; then `:`, `=`, `=>`, `:=`, a comparison, or the word `is`; then perhaps a new line.
 */
const OPERATOR =
  /(\\{0,16}["'`])?\]?(?:[,\s]{1,24}\\{0,16}["']?value\\{0,16}["']?)?[ \t]{0,16}(:=|=>|[=!]==?|[:=]|\b(?:is|was|ist)\b(?:[ \t]{0,4}:)?)[ \t]{0,16}(\r?\n[ \t]{1,16})?/y;
const SPACE = /[ \t]{1,8}(?!-)/y;
const QUOTE = /[rbfu]?(\\{0,16})(["'`])/y;
/** Enough of a value to judge it by; then the rest of it. */
const BARE = /[^\s,;&"'`<>(){}[\]|\\]{1,256}/y;
const BARE_REST = /[^\s,;&"'`<>(){}[\]|\\]*/y;
const SCHEME =
  /(?:digest|aws4-hmac-sha256|signature|hmac)[ \t]+(?:[\w-]{1,40}=(?:"[^"\r\n]{0,512}"|[^\s",]{0,512}),?[ \t]{0,4}){1,20}|(?:bearer|basic|token|negotiate|apikey|[a-z]{1,10}-?hmac)[ \t]+[^\r\n"'`\\]+/iy;
const COOKIES = /[\w.-]{1,64}=[^\r\n"'`\\]+/y;
const ELEMENT = />[^<]+(?=<\/)/y;
/** A list or tuple of strings alone. */
const STRING_LIST = /[[(]\s{0,8}(?:[rbfu]?\\{0,16}["'][^"'\\\r\n]{0,256}\\{0,16}["']\s{0,8}(?:,\s{0,8})?){1,8}[\])]/y;
/** Behind the quote that ends `'Password: '`: no secret begins like that. */
const AFTER_STRING = /[),;\]}\r\n]|[ \t]?[+%](?=[ \t])|\.(?:join|format)\b/y;

/** The kind in a mask is no name. */
const MASK_START = '[redacted:';

/** In lower case, each unit at its place: the one letter that becomes two is left out. */
const lowerCase = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll('\u0130', 'I').toLowerCase();
};

/**
 * Masks the values of `password=…`, `"apiKey": "…"`, `token: …`, `--secret …` and the like, in time linear in the text.
 *
 * @param places where the words of such names may start, in ascending order
 */
export function redactAssignments(text: string, places: readonly number[], names: KeyNames, marker: Marker): string {
  const writer = new ValueWriter(text, names, marker);
  const { anywhere } = names;
  if (anywhere === undefined) {
    for (const at of places) {
      if (at < writer.next || matchAt(STEM_AT, text, at) === null) continue;
      writer.take(at, STEM_AT.lastIndex);
    }
    return writer.result();
  }
  const lower = lowerCase(text);
  anywhere.lastIndex = 0;
  for (let found = anywhere.exec(lower); found !== null; found = anywhere.exec(lower)) {
    writer.take(found.index, anywhere.lastIndex);
    anywhere.lastIndex = writer.next;
  }
  return writer.result();
}

class ValueWriter {
  readonly #text: string;
  readonly #names: KeyNames;
  readonly #marker: Marker;
  #result = '';
  #done = 0;
  /** Where the next name may be. */
  next = 0;

  constructor(text: string, names: KeyNames, marker: Marker) {
    this.#text = text;
    this.#names = names;
    this.#marker = marker;
  }

  /** A word of a name from `stem` to `end`. */
  take(stem: number, end: number): void {
    const value = valueAt(this.#text, stem, end, this.#names);
    this.next = end;
    if (value === undefined) return;
    this.next = Math.max(end, value.to);
    if (value.kind === undefined) return;
    const secret = this.#text.slice(value.from, value.to);
    this.#result += this.#text.slice(this.#done, value.from) + this.#marker.mark(markOf(value.kind), secret);
    this.#done = value.to;
  }

  result(): string {
    return this.#done === 0 ? this.#text : this.#result + this.#text.slice(this.#done);
  }
}

interface Value {
  from: number;
  to: number;
  /** Absent: the value stays. */
  kind?: KeyKind;
}

function valueAt(text: string, stem: number, end: number, names: KeyNames): Value | undefined {
  const start = nameStart(text, stem);
  if (text.startsWith(MASK_START, start - MASK_START.length)) return undefined;
  const operator = matchAt(OPERATOR, text, end);
  const flag = operator === null && text.startsWith('--', start) ? matchAt(SPACE, text, end) : null;
  const element = text[start - 1] === '<' ? matchAt(ELEMENT, text, end) : null;
  const after = operator ?? flag ?? element;
  const name = text.slice(start, end);
  const kind = after !== null || name === 'password' ? names.kindOf(name) : undefined;
  if (kind === undefined) return undefined;
  if (after === null) {
    const password = netrcPassword(text, start, end);
    return password === undefined ? undefined : { ...password, kind };
  }
  if (element !== null) {
    const to = end + element[0].length;
    return staysQuoted(text.slice(end + 1, to), name) ? undefined : { from: end + 1, to, kind };
  }
  const from = end + after[0].length;
  const sign = (operator?.[2]?.toLowerCase() ?? ' ').replace(/^\w+[ \t]*:$/, ':');

  const quote = matchAt(QUOTE, text, from);
  if (quote !== null) {
    const inner = from + quote[0].length;
    const [, slashes = '', sort = '"'] = quote;
    if (operator?.[1] === undefined && isClosing(text, start, inner, slashes, sort)) return undefined;
    const to = closingQuote(text, inner, sort, slashes.length);
    const value = text.slice(inner, to);
    const weak = kind === 'weak' || kind === 'auth';
    const told = isComparison(sign) ? weak || isWord(value) : weak && isVerb(sign);
    const stays = told || staysQuoted(value, name) || staysUnder(kind, value);
    return stays ? { from, to: inner } : { from: inner, to, kind };
  }
  if (isComparison(sign)) return undefined;
  const opening = text[from];
  if ((opening === '{' || opening === '[') && operator?.[1] !== undefined && kind !== 'auth') {
    if (SCHEMA.test(text.slice(from, from + 80)) || text.startsWith(MASK_START, from)) return undefined;
    if (kind === 'digits') return undefined;
    return { from, to: closingBracket(text, from, operator[1].length - 1), kind };
  }
  if ((opening === '[' || opening === '(') && kind !== 'weak' && kind !== 'digits') {
    const list = matchAt(STRING_LIST, text, from);
    if (list !== null) return { from: from + 1, to: from + list[0].length - 1, kind };
  }
  const block = sign === ':' ? blockScalar(text, from, start) : undefined;
  if (block !== undefined) return { ...block, kind };
  const header = headerValue(text, from, name);
  if (header !== undefined) return { from, to: from + header.length, kind };

  const value = matchAt(BARE, text, from)?.[0];
  if (value === undefined) return undefined;
  const judged = from + value.length;
  const rest = text.slice(judged, judged + 8);
  // A value on the next line stands there alone; more words are the next statement.
  if (operator?.[3] !== undefined && rest !== '' && !/^[\r\n]/.test(rest)) return undefined;
  const spaced = text[from - 1] === ' ';
  const weak = kind === 'weak' || kind === 'auth' || /cookie/i.test(name);
  if (staysBare({ value, rest, sign: isVerb(sign) ? 'is' : sign, spaced, weak })) return { from, to: from };
  const to = judged + (matchAt(BARE_REST, text, judged)?.[0].length ?? 0);
  return staysUnder(kind, text.slice(from, to)) ? { from, to: from } : { from, to, kind };
}

/** Whether the quote behind a name closes a string that holds the name rather than opening its value. */
function isClosing(text: string, start: number, inner: number, slashes: string, quote: string): boolean {
  const opening = `${slashes}${quote}`;
  const opened = text.endsWith(opening, start) && text[start - opening.length - 1] !== '\\';
  return opened || matchAt(AFTER_STRING, text, inner) !== null;
}

/** A header's value has spaces: a scheme and its credentials, or several cookies. */
function headerValue(text: string, from: number, name: string): string | undefined {
  if (/authorization/i.test(name)) return matchAt(SCHEME, text, from)?.[0];
  return /cookie/i.test(name) ? matchAt(COOKIES, text, from)?.[0] : undefined;
}

/** `is`, but not `is:`, which announces a value as a colon alone does. */
const isVerb = (sign: string): boolean => /^(?:is|was|ist)$/.test(sign);

/** Whether a value is none of those that its name makes secret. */
function staysUnder(kind: KeyKind, value: string): boolean {
  if (kind === 'digits') return !isPin(value.replace(/[.!?]$/, ''));
  return kind === 'auth' && !looksLikeCredentials(value);
}

function isComparison(sign: string): boolean {
  return /^[=!]==?$/.test(sign);
}

/** A value of JSON Schema: the description of a field, not its content. */
const SCHEMA = /^\{\s{0,8}\\{0,8}"(?:type|description|title|\$ref|anyOf|oneOf)\\{0,8}"/;

const LONGEST_NAME = 64;

/** Start of the name that ends in or holds the stem at `index`. */
function nameStart(text: string, index: number): number {
  let start = index;
  while (start > 0 && index - start < LONGEST_NAME && isNamePart(text.charCodeAt(start - 1))) start--;
  // The letter of an escape before a name, as in `\npassword`, is none of the name's.
  if (start > 0 && start < index && text[start - 1] === '\\') start++;
  return start;
}

function isNamePart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45
  );
}
