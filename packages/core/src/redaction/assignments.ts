import { keyKind } from './secret-keys.js';

/** Words that a name with a secret holds. A superset of what `keyKind` knows: it decides. */
const STEM =
  /(?:passw|passphrase|passcode|pass\b|_pass|pwd|secret|token|api[_ -]?key|key\b|key[_-]id|creds?\b|credential|cookie|authorization|auth\b|jwt|bearer|otp\b|cv[vc]\b|conn[_-]?str|connection[_ -]?string|dsn\b|mnemonic|phrase|code\b|codes\b)[A-Za-z0-9_-]{0,40}/gi;

/** What may stand between a name and its value: a closing quote (escaped in nested JSON), then `:`, `=`, `=>`, `:=`. */
const OPERATOR = /(\\{0,16}["'`])?\]?[ \t]{0,16}(:=|=>|[=!]==?|[:=])[ \t]{0,16}(?:\r?\n[ \t]{1,16})?/y;
const SPACE = /[ \t]{1,8}(?!-)/y;
const QUOTE = /[rbfu]?(\\{0,16})(["'`])/y;
const BARE = /[^\s,;&"'`<>(){}[\]|\\]+/y;
const SCHEME = /(?:bearer|basic|token|digest|negotiate|apikey|hmac|signature|aws4-hmac-sha256)[ \t]+[^\r\n"'`\\]+/iy;
const COOKIES = /[\w.-]{1,64}=[^\r\n"'`]+/y;

/** Values that tell nothing: masked already, a placeholder, a type, a literal. */
const PLACEHOLDER =
  /^(?:\[redacted.*|\*+|\.{3}|…|x+|<[^>]*>|\$\{[^}]*\}|\$\(?[A-Za-z_]\w*\)?|\{\{[^}]*\}\}|%\w+%|null|nil|none|true|false|undefined|str|string|int|integer|number|float|bool|boolean|bytes|any|unknown|object|array|list|dict|optional|required|void|never|self|this|await|new|the|an?|is|are|be|in|to|of|and|or|not|for|that|it|if|as|on|at|by|with|we|you|i)$/i;

/** How code refers to a value that stands elsewhere. */
const REFERENCE =
  /^(?:process|os|self|this|config|cfg|settings|env|args|opts|options|ctx|context|req|request|res|resp|response|user|data|params|props|state|import|window|vault|secrets|var|local|module|each|github|inputs|environ|client|session|\w*(?:config|settings|options))\./i;

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

/** The kind in a mask is no name. */
const MASK_START = '[redacted:';

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
  const after = operator ?? flag;
  if (after === null) return undefined;
  const name = text.slice(start, end);
  const kind = keyKind(name);
  if (kind === undefined) return undefined;
  const from = end + after[0].length;
  const mask = `[redacted:${kind === 'pii' ? 'pii' : 'secret'}]`;
  const sign = operator?.[2] ?? ' ';

  const quote = matchAt(QUOTE, text, from);
  if (quote !== null) {
    const inner = from + quote[0].length;
    const to = closingQuote(text, inner, quote[2] ?? '"', quote[1]?.length ?? 0);
    return isPlaceholder(text.slice(inner, to)) ? { from, to: inner } : { from: inner, to, mask };
  }
  if (sign.length > 1 && sign.endsWith('=') && sign !== ':=') return undefined;
  const opening = text[from];
  if ((opening === '{' || opening === '[') && operator?.[1] !== undefined) {
    if (SCHEMA.test(text.slice(from, from + 80)) || text.startsWith('[redacted', from)) return undefined;
    return { from, to: closingBracket(text, from, operator[1].length - 1), mask };
  }
  const header = /authorization/i.test(name)
    ? matchAt(SCHEME, text, from)
    : /cookie/i.test(name)
      ? matchAt(COOKIES, text, from)
      : null;
  if (header !== null) return { from, to: from + header[0].length, mask };
  const bare = matchAt(BARE, text, from)?.[0];
  if (bare === undefined) return undefined;
  const to = from + bare.length;
  return staysBare(bare, text[to], kind === 'weak', sign) ? { from, to: from } : { from, to, mask };
}

/** A value of JSON Schema: the description of a field, not its content. */
const SCHEMA = /^\{\s{0,8}\\{0,8}"(?:type|description|title|\$ref|anyOf|oneOf)\\{0,8}"/;

function isPlaceholder(value: string): boolean {
  return value.trim() === '' || (value.length < 200 && PLACEHOLDER.test(value) && !/^(?:the|an?|i)$/i.test(value));
}

function staysBare(value: string, next: string | undefined, weak: boolean, sign: string): boolean {
  if (next === '(' || (next === '[' && /^[A-Za-z_]/.test(value))) return true;
  const word = value.replace(/[.:!?*]+$/, '');
  if (word === '' || PLACEHOLDER.test(word.slice(0, 200)) || REFERENCE.test(word.slice(0, 200))) return true;
  // `api_key=api_key` passes a variable on.
  if (/^[A-Za-z_]{1,64}$/.test(word) && keyKind(word) !== undefined) return true;
  if (!weak) return false;
  return /^\d{1,5}$/.test(word) || (sign === ':' && /^[a-z]+$/i.test(word));
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

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

/** Index of the quote that ends a string opened by `quote` behind `slashes` backslashes; else of the line's or text's end. */
function closingQuote(text: string, from: number, quote: string, slashes: number): number {
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '\n' && quote !== '`') return i;
    if (char !== quote) continue;
    let before = 0;
    while (i - before > from && text[i - 1 - before] === '\\') before++;
    if (before === slashes || (slashes === 0 && before % 2 === 0)) return i - before + (slashes === 0 ? before : 0);
  }
  return text.length;
}

/** Index behind the bracket that closes the one at `from`, brackets in strings aside; else the end of the text. */
function closingBracket(text: string, from: number, slashes: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return i + 1;
    } else if (char === '"') {
      i = closingQuote(text, i + 1, '"', slashes) + slashes;
    }
  }
  return text.length;
}
