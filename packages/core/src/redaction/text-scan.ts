import { API_KEY_PREFIXES } from './api-keys.js';
import { IBAN_COUNTRIES } from './checksums.js';

/** What three characters in a row may begin, or hint at. */
const STEM = 1;
const KEY = 2;
const IBAN = 4;
const DIGITS = 8;
/** Behind the scheme of a URL. */
const URL = 16;
/** An option of a command that may take credentials. */
const OPTION = 64;
/** Words of patterns that are rare. */
const RARE_WORD = 32;

const OTHER = 0;
const DIGIT = 27;
const DASH = 28;
const DOT = 29;
const COLON = 30;
const SLASH = 31;
const TRIGRAMS = 32 * 32 * 32;

/** Characters as one of 32 symbols: letters in either case, any digit, a few signs, all else. */
const SYMBOLS = new Uint8Array(256);
for (let i = 0; i < 26; i++) {
  SYMBOLS[97 + i] = i + 1;
  SYMBOLS[65 + i] = i + 1;
}
for (let i = 48; i < 58; i++) SYMBOLS[i] = DIGIT;
for (const [char, symbol] of [
  ['-', DASH],
  ['.', DOT],
  ['_', DOT],
  [':', COLON],
  ['/', SLASH],
] as const)
  SYMBOLS[char.charCodeAt(0)] = symbol;

const symbolAt = (text: string, at: number): number => SYMBOLS[text.charCodeAt(at) & 0xff] ?? OTHER;
const trigram = (text: string): number =>
  (symbolAt(text, 0) << 10) | (symbolAt(text, 1) << 5) | (text.length > 2 ? symbolAt(text, 2) : OTHER);

/** How the words start that `KeyNames` searches for. A space stands for anything that is no letter, digit or sign. */
const STEMS = [
  ...'pas pwd phr pin _pa sec tok api key cre coo cvv cvc con cod cli aut jwt bea otp dsn mne'.split(' '),
  ...['pw ', 'pw-', 'pw.', 'pw:', 'pw/'],
];
/** `-----BEGIN`, PuTTY, webhooks, signatures, bearer and basic, bots, the few keys that are known by what is inside. */
const RARE_WORDS = 'beg utt hoo sig bea bas :aa mmk azd asv 1q~'.split(' ');
/** How options start that take credentials. */
const OPTIONS = [' -p', ' -a', ' -w', ' -t', ' -u', '--u', '--p'];

let meanings: Uint8Array | undefined;

/** Made when first asked for: most programs load this and never redact. */
function meaningsOfTrigrams(): Uint8Array {
  if (meanings !== undefined) return meanings;
  const table = new Uint8Array(TRIGRAMS);
  const add = (text: string, meaning: number) => {
    const index = trigram(text);
    table[index] = (table[index] ?? 0) | meaning;
  };
  for (const stem of STEMS) add(stem, STEM);
  for (const word of RARE_WORDS) add(word, RARE_WORD);
  for (const option of OPTIONS) add(option, OPTION);
  add('://', URL);
  add('111', DIGITS);
  for (const country of IBAN_COUNTRIES) add(`${country}1`, IBAN);
  for (const [prefixes, body] of API_KEY_PREFIXES) {
    for (const prefix of prefixes.split(' ')) {
      // Behind a prefix of two characters comes a digit, or a letter of a hexadecimal number.
      for (const next of prefix.length > 2 ? [''] : body.startsWith('\\d') ? ['1'] : [...'1abcdef'])
        add(prefix + next, KEY);
    }
  }
  for (const start of JWT_AND_BOT_STARTS) add(start, KEY);
  meanings = table;
  return table;
}

/** A JSON Web Token; and a number in base64, as the keys of Discord's bots start. */
const JWT_AND_BOT_STARTS = [
  'eyj',
  ...[...'mno'].flatMap((a) => [...'dtjz'].flatMap((b) => [...'aeimquycgk'].map((c) => a + b + c))),
];

const CHUNK = 65_536;
let bytes: Buffer | undefined;

type Places = readonly number[];
const NOWHERE: Places = [];

/** Most texts have nothing, so lists are made when they are needed. */
function added(places: Places, at: number): Places {
  if (places === NOWHERE) return [at];
  (places as number[]).push(at);
  return places;
}

/** Up to here a look at each unit costs less than a copy of the text. */
const SHORT = 48;

/**
 * One look at every character of a text, to know which searches can find anything, and where. Costs a third of all the
 * searches that it saves for most texts.
 */
export class TextScan {
  /** Where a word may start that names a secret. */
  stems = NOWHERE;
  /** Where the key of a vendor may start. */
  keys = NOWHERE;
  ibans = NOWHERE;
  /** Where three digits stand. */
  digits = NOWHERE;
  /** Where `://` stands. */
  urls = NOWHERE;
  hasOption = false;
  hasRareWord = false;

  /** Whether nothing but digits was seen. */
  get isEmpty(): boolean {
    const { stems, keys, ibans, urls, hasOption, hasRareWord } = this;
    return (
      stems.length === 0 && keys.length === 0 && ibans.length === 0 && urls.length === 0 && !hasOption && !hasRareWord
    );
  }

  constructor(text: string) {
    const table = meaningsOfTrigrams();
    if (text.length <= SHORT) {
      this.#readShort(text, table);
      return;
    }
    bytes ??= Buffer.allocUnsafeSlow(CHUNK);
    let last = 0;
    for (let offset = 0; offset < text.length; offset += CHUNK) {
      // Of characters beyond Latin-1 the low byte counts: that gives false hints, and hides no true one.
      const length = bytes.write(offset === 0 ? text : text.slice(offset, offset + CHUNK), 'latin1');
      last = this.#read(text, bytes, length, offset, table, last);
    }
  }

  #readShort(text: string, table: Uint8Array): void {
    let last = 0;
    for (let i = 0; i < text.length; i++) {
      last = ((last << 5) | (SYMBOLS[text.charCodeAt(i) & 0xff] as number)) & (TRIGRAMS - 1);
      const meaning = table[last] as number;
      if (meaning !== 0) this.#note(meaning, text, i - 2);
    }
  }

  #read(text: string, chunk: Uint8Array, length: number, offset: number, table: Uint8Array, before: number): number {
    let last = before;
    for (let i = 0; i < length; i++) {
      last = ((last << 5) | (SYMBOLS[chunk[i] as number] as number)) & (TRIGRAMS - 1);
      const meaning = table[last] as number;
      if (meaning !== 0) this.#note(meaning, text, offset + i - 2);
    }
    return last;
  }

  #note(meaning: number, text: string, at: number): void {
    if ((meaning & STEM) !== 0) this.stems = added(this.stems, at);
    if ((meaning & DIGITS) !== 0) this.digits = added(this.digits, at);
    if ((meaning & URL) !== 0) this.urls = added(this.urls, at);
    if ((meaning & OPTION) !== 0) this.hasOption = true;
    if ((meaning & RARE_WORD) !== 0) this.hasRareWord = true;
    if ((meaning & (KEY | IBAN)) === 0 || isInWord(text, at)) return;
    if ((meaning & KEY) !== 0) this.keys = added(this.keys, at);
    if ((meaning & IBAN) !== 0) this.ibans = added(this.ibans, at);
  }
}

/** Whether a letter or digit stands before, other than one that may be of an escape (`\n`, `%20`, `\u0022`). */
function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  const before = code < 128 ? (SYMBOLS[code] as number) : OTHER;
  if (before === OTHER || before > DIGIT) return false;
  const isEscape = text.charCodeAt(at - 2) === BACKSLASH || text.charCodeAt(at - 6) === BACKSLASH;
  return !isEscape && text.charCodeAt(at - 3) !== PERCENT;
}

const BACKSLASH = 92;
const PERCENT = 37;
