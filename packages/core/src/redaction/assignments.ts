import { isWord, staysBare, staysQuoted } from './harmless-values.js';
import { keyKind } from './secret-keys.js';
import { blockScalar, closingBracket, closingQuote, matchAt } from './value-end.js';

/** Words that a name with a secret holds. A superset of what `keyKind` knows: it decides. */
const STEM =
  /(?:passw|passphrase|passcode|pass\b|_pass|pwd?\b|secret|token|api[_ -]?key|key\b|key[_-]id|creds?\b|credential|cookie|authorization|auth\b|jwt|bearer|otp\b|cv[vc]\b|conn[_-]?str|connection[_ -]?string|dsn\b|mnemonic|phrase|code\b|codes\b)[A-Za-z0-9_-]{0,40}/gi;

/**
 * What may stand between a name and its value: a closing quote (escaped in nested JSON); `"value":` where the name is
 * itself a value; then `:`, `=`, `=>`, `:=`, a comparison, or the word `is`; then perhaps a new line.
 */
const OPERATOR =
  /(\\{0,16}["'`])?\]?(?:[,\s]{1,24}\\{0,16}["']?value\\{0,16}["']?)?[ \t]{0,16}(:=|=>|[=!]==?|[:=]|\bis\b)[ \t]{0,16}(\r?\n[ \t]{1,16})?/y;
const SPACE = /[ \t]{1,8}(?!-)/y;
const QUOTE = /[rbfu]?(\\{0,16})(["'`])/y;
/** Enough of a value to judge it by; then the rest of it. */
const BARE = /[^\s,;&"'`<>(){}[\]|\\]{1,256}/y;
const BARE_REST = /[^\s,;&"'`<>(){}[\]|\\]*/y;
const SCHEME =
  /(?:digest|aws4-hmac-sha256|signature|hmac)[ \t]+(?:[\w-]{1,40}=(?:"[^"\r\n]{0,512}"|[^\s",]{0,512}),?[ \t]{0,4}){1,20}|(?:bearer|basic|token|negotiate|apikey|[a-z]{1,10}-?hmac)[ \t]+[^\r\n"'`\\]+/iy;
const COOKIES = /[\w.-]{1,64}=[^\r\n"'`\\]+/y;
const ELEMENT = />[^<]+(?=<\/)/y;
/** Behind the quote that ends `'Password: '`: no secret begins like that. */
const AFTER_STRING = /[),;\]}\r\n]|[ \t]?[+%](?=[ \t])|\.(?:join|format)\b/y;

/** The kind in a mask is no name. */
const MASK_START = '[redacted:';

/** Masks the values of `password=…`, `"apiKey": "…"`, `token: …`, `--secret …` and the like, in time linear in the text. */
export function redactAssignments(text: string): string {
  let result = '';
  let done = 0;
  STEM.lastIndex = 0;
  for (let found = STEM.exec(text); found !== null; found = STEM.exec(text)) {
    const end = STEM.lastIndex;
    const value = valueAt(text, found.index, end);
    if (value === undefined) continue;
    if (value.mask !== undefined) {
      result += text.slice(done, value.from) + value.mask;
      done = value.to;
    }
    STEM.lastIndex = Math.max(end, value.to);
  }
  return done === 0 ? text : result + text.slice(done);
}

interface Value {
  from: number;
  to: number;
  /** Absent: the value stays. */
  mask?: string;
}

function valueAt(text: string, stem: number, end: number): Value | undefined {
  const start = nameStart(text, stem);
  if (text.startsWith(MASK_START, start - MASK_START.length)) return undefined;
  const operator = matchAt(OPERATOR, text, end);
  const flag = operator === null && text.startsWith('--', start) ? matchAt(SPACE, text, end) : null;
  const element = text[start - 1] === '<' ? matchAt(ELEMENT, text, end) : null;
  const after = operator ?? flag ?? element;
  if (after === null) return undefined;
  const name = text.slice(start, end);
  const kind = keyKind(name);
  if (kind === undefined) return undefined;
  const mask = `[redacted:${kind === 'pii' ? 'pii' : 'secret'}]`;
  if (element !== null) {
    const to = end + element[0].length;
    return staysQuoted(text.slice(end + 1, to), name) ? undefined : { from: end + 1, to, mask };
  }
  const from = end + after[0].length;
  const sign = operator?.[2]?.toLowerCase() ?? ' ';

  const quote = matchAt(QUOTE, text, from);
  if (quote !== null) {
    const inner = from + quote[0].length;
    const [, slashes = '', sort = '"'] = quote;
    if (operator?.[1] === undefined && isClosing(text, start, inner, slashes, sort)) return undefined;
    const to = closingQuote(text, inner, sort, slashes.length);
    const value = text.slice(inner, to);
    const told = isComparison(sign) ? kind === 'weak' || isWord(value) : kind === 'weak' && sign === 'is';
    const stays = told || staysQuoted(value, name);
    return stays ? { from, to: inner } : { from: inner, to, mask };
  }
  if (isComparison(sign)) return undefined;
  const opening = text[from];
  if ((opening === '{' || opening === '[') && operator?.[1] !== undefined) {
    if (SCHEMA.test(text.slice(from, from + 80)) || text.startsWith(MASK_START, from)) return undefined;
    return { from, to: closingBracket(text, from, operator[1].length - 1), mask };
  }
  const block = sign === ':' ? blockScalar(text, from, start) : undefined;
  if (block !== undefined) return { ...block, mask };
  const header = headerValue(text, from, name);
  if (header !== undefined) return { from, to: from + header.length, mask };

  const value = matchAt(BARE, text, from)?.[0];
  if (value === undefined) return undefined;
  const judged = from + value.length;
  const rest = text.slice(judged, judged + 8);
  // A value on the next line stands there alone; more words are the next statement.
  if (operator?.[3] !== undefined && rest !== '' && !/^[\r\n]/.test(rest)) return undefined;
  const spaced = text[from - 1] === ' ';
  const weak = kind === 'weak' || /cookie/i.test(name);
  if (staysBare({ value, rest, sign, spaced, weak })) return { from, to: from };
  return { from, to: judged + (matchAt(BARE_REST, text, judged)?.[0].length ?? 0), mask };
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
