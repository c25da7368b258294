import { keyKind, lettersOf } from './secret-keys.js';

/** Masked already, a template filled in elsewhere, or nothing. */
const PLACEHOLDER =
  /^(?:\[redacted.*|\*+|\.{3}|…|x+|<[^>]*>|\$\{[^}]*\}|\$\(?[A-Za-z_]\w*\)?|\$\d{1,3}|\{\{[^}]*\}\}|%\w+%|null|nil|none|true|false|undefined)$/i;

/** Types, keywords and the words that follow a colon in prose. */
const WORD =
  /^(?:str|string|int|integer|number|float|bool|boolean|bytes|any|unknown|object|array|list|dict|optional|required|void|never|self|this|await|async|new|function|lambda|typeof|keyof|unique|readonly|class|yield|delete|return|not|if|else|the|an?|is|are|be|in|to|of|and|or|for|that|it|as|on|at|by|with|we|you|i)$/i;

/** A type, a keyword, a small word. */
export function isWord(value: string): boolean {
  return value.length < 20 && WORD.test(value);
}

/** How code refers to a value that stands elsewhere. */
const REFERENCE =
  /^(?:process|os|self|this|config|cfg|settings|env|args|opts|options|ctx|context|req|request|res|resp|response|user|data|params|props|state|import|window|vault|secrets|var|local|module|each|github|inputs|environ|client|session|\w{0,64}(?:config|settings|options))\./i;

/** A scheme whose credentials are filled in elsewhere: `Bearer ${token}`. */
const SCHEME_ALONE = /^(?:bearer|basic|token)[ \t]*(?:\$\{[^}]*\}?|\{[^}]*\}?|<[^>]*>|%s)?$/i;

/** `password: BinaryLike,` in a signature. */
const TYPE_NAME =
  /^(?:(?:[A-Z][a-z]{1,32}){2,6}|Date|Buffer|Error|Promise|Map|Set|Array|Request|Response|Function|Symbol|Bytes)$/;

/** The version of a package that has such a name, or a count. */
const SMALL_NUMBER = /^(?:v?\d{1,3}\.\d{1,3}\.\d{1,3}|\d{1,2})$/;

/** `problems.length` as a part of an expression. */
const PATH = /^[A-Za-z_$][\w$]{0,64}(?:\.[A-Za-z_$][\w$]{0,64}){1,8}$/;

const LONGEST = 200;

/** Whether a quoted value under `name` hides nothing. */
export function staysQuoted(value: string, name: string): boolean {
  if (value.trim() === '') return true;
  if (value.length > LONGEST) return false;
  return PLACEHOLDER.test(value) || SCHEME_ALONE.test(value) || repeatsName(value, name);
}

/** `DB_PASSWORD_FIELD = "db.password"`: a constant that holds its own name. */
function repeatsName(value: string, name: string): boolean {
  const plain = lettersOf(value);
  return plain.length >= 8 && lettersOf(name).endsWith(plain);
}

/** Whether a value under a name such as `auth` looks like credentials, not like a word for a way to log in. */
export function looksLikeCredentials(value: string): boolean {
  if (value.length < 8 || /\s/.test(value)) return false;
  return /\d/.test(value) && (/[A-Z]/.test(value) || value.length >= 16 || value.includes(':'));
}

/** Whether a value under a name such as `pin` is one. */
export function isPin(value: string): boolean {
  return /^\d{4,12}$/.test(value);
}

/** Where a value without quotes stands. */
export interface BareValue {
  value: string;
  /** The few characters behind it. */
  rest: string;
  /** What joins it to its name: `=`, `:`, `is` … */
  sign: string;
  /** A space stands before it. */
  spaced: boolean;
  /** Its name has harmless uses as well. */
  weak: boolean;
}

/** Whether a value without quotes is code or prose rather than a secret. */
export function staysBare({ value, rest, sign, spaced, weak }: BareValue): boolean {
  const next = rest[0];
  if (!/[A-Za-z0-9]/.test(value) || /^\/[/*]/.test(value)) return true;
  if (value.endsWith('$') && next === '{') return true;
  // A call, an index, a generic type, an arrow function.
  if (next === '(' || ((next === '[' || next === '<') && /^[A-Za-z_]/.test(value)) || /^ ?=>/.test(rest)) return true;
  if (spaced && PATH.test(value) && /^ ?[=!<>+?&|;,)]/.test(rest)) return true;
  if (sign === ':' && TYPE_NAME.test(value) && /^(?:[;,)]| \|)/.test(rest)) return true;
  const word = value.slice(0, LONGEST).replace(/[.:!?*]{1,8}$/, '');
  if (PLACEHOLDER.test(word) || WORD.test(word) || REFERENCE.test(word)) return true;
  if (SMALL_NUMBER.test(word)) return true;
  if (sign === 'is' && !/\d/.test(word)) return true;
  // `api_key=api_key` passes a variable on.
  if (/^[A-Za-z_]{1,64}$/.test(word) && keyKind(word) !== undefined) return true;
  if (!weak) return false;
  // Counts, and the next of several words.
  return /^\d{1,5}$/.test(word) || (sign === ':' && /^[a-z]+$/i.test(word) && /^(?: [a-z(]|[)"'`])/i.test(rest));
}
