import { API_KEY_PREFIXES } from './api-keys.js';
import { isBankAccount, isCardNumber, isInternationalNumber } from './checksums.js';

/**
 * One kind of thing that must not leave. Each expression takes time linear in the text, for any text: it starts at a
 * literal or behind a boundary, and what it repeats is bounded or can be entered once only.
 */
export interface Pattern {
  /** The mask is `[redacted:<kind>]`. */
  kind: string;
  regexp: RegExp;
  /** Text without this has no match; saves the search. */
  needs?: string;
  /** Refuses what only looks alike. */
  check?: (match: string) => boolean;
  /** Replaces the match, where more than the secret was matched. `mask` is the default. */
  mask?: (mask: string, groups: readonly (string | undefined)[]) => string;
}

/** Before a key: no letter or digit, other than those of an escape (`\n`, `\u0022`, `%20`). */
const EDGE = String.raw`(?:^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})`;

/** The edge is looked for behind a literal that was found, not at every place. */
function keyPattern([prefix, body]: readonly [prefix: string, body: string]): string {
  return `${prefix}(?<=${EDGE}${prefix})${body}`;
}

/** Words are joined with dashes too; random keys have digits, only those of AWS may have none. */
const hasDigit = (match: string): boolean => /\d|^A[A-Z]{10}/.test(match);
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
const isMixed = (match: string): boolean => /[a-z]/.test(match) && /[A-Z]/.test(match) && /\d/.test(match);
const keepFirst = (mask: string, groups: readonly (string | undefined)[]): string => `${groups[0] ?? ''}${mask}`;

/** No key of `keyPatterns` is shorter. */
export const SHORTEST_KEY = 14;

let keys: readonly Pattern[] | undefined;

/**
 * Keys that stand in one unbroken run of letters, digits and a few signs; searched for in long runs only. Made when first
 * asked for: most programs load this and never redact.
 */
export function keyPatterns(): readonly Pattern[] {
  keys ??= [
    { kind: 'api_key', regexp: new RegExp(API_KEY_PREFIXES.map(keyPattern).join('|'), 'g'), check: hasDigit },
    {
      kind: 'jwt',
      needs: 'eyJ',
      regexp: new RegExp(keyPattern(['eyJ', String.raw`(?<![_-]eyJ)[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*){0,3}`]), 'g'),
    },
    { kind: 'client_secret', needs: '8Q~', regexp: /[\w~.-]{3}8Q~[\w~.-]{30,36}/g },
  ];
  return keys;
}

/** Secrets by their form, in the order of their use: what holds others comes first. */
export const SECRET_PATTERNS: readonly Pattern[] = [
  {
    kind: 'private_key',
    needs: '-----BEGIN ',
    // A key whose end was cut off goes up to the end of the text.
    regexp:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  {
    kind: 'webhook_url',
    needs: 'hook',
    regexp:
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{8,200}|discord(?:app)?\.com\/api\/webhooks\/[\w/-]{8,200}|webhook\.office\.com\/[\w/@-]{8,200}/g,
  },
  {
    kind: 'credentials',
    needs: '://',
    regexp: /:\/\/(?!git@)(?:[^\s/?#"'<>@:\\`]{0,256}:[^\s/"'<>\\`]{0,1024}|[^\s/?#"'<>@:\\`]{1,256})@/g,
    // A template whose parts are filled in elsewhere.
    check: (match) => !/^:\/\/\$?\{[^}]*\}(?::\$?\{[^}]*\})?@$/.test(match),
    mask: (mask) => `://${mask}@`,
  },
  {
    kind: 'credentials',
    needs: '-u',
    regexp: /((?:^|\s)(?:-u|--user|--proxy-user)[ =]{1,4}["']?)[^\s:"']{1,128}:[^\s"']{1,256}/g,
    mask: keepFirst,
  },
  {
    kind: 'signature',
    needs: '=',
    regexp: /\b((?:x-amz-|x-goog-)?(?:sig|signature)=)[A-Za-z0-9%+/=_-]{16,}/gi,
    mask: keepFirst,
  },
  // What is as long as an AWS secret key and stands in a text with an AWS key id.
  { kind: 'aws_secret', needs: 'AKIA', regexp: AWS_SECRET, check: isMixed },
  { kind: 'aws_secret', needs: 'ASIA', regexp: AWS_SECRET, check: isMixed },
  { kind: 'bot_token', needs: ':AA', regexp: /(?<![0-9])[0-9]{8,10}:AA[\w-]{32,35}(?![\w-])/g },
  {
    kind: 'bearer',
    regexp: /\b((?:bearer|basic)[ \t]{1,4})[A-Za-z0-9._~+/=-]{8,}/gi,
    check: hasDigit,
    mask: keepFirst,
  },
];

/** Personal data; e-mail addresses are found apart. */
export const PERSONAL_PATTERNS: readonly Pattern[] = [
  {
    kind: 'card',
    regexp:
      /[3-6](?<![\w.+-][3-6])(?:\d{13,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{4}|\d{3}[ -]\d{6}[ -]\d{4,5})(?![\w-]|\.\d)|2(?<![\w.+-]2)[2-7]\d\d(?:\d{12}|([ -])\d{4}\2\d{4}\2\d{4})(?![\w-]|\.\d)/g,
    check: isCardNumber,
  },
  {
    kind: 'iban',
    regexp:
      /[A-Z]{2}\d{2}(?<![A-Za-z0-9_][A-Z]{2}\d{2})(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?)(?![A-Za-z0-9_])/g,
    check: isBankAccount,
  },
  {
    kind: 'ssn',
    needs: '-',
    regexp: /\d{3}(?<![\w.-]\d{3})-\d{2}-\d{4}(?![\w-])/g,
    check: (match) => !/^(?:000|666|9)/.test(match),
  },
  {
    kind: 'phone',
    needs: '+',
    regexp: /\+(?<![\w+=)]\+)[1-9](?:[ ().-]{0,2}\d){7,14}(?![\w-])/g,
    check: isInternationalNumber,
  },
  {
    kind: 'phone',
    needs: '-',
    regexp: /(?:\(\d{3}\)(?<![\w.)-]\(\d{3}\)) ?|\d{3}(?<![\w.+(-]\d{3})[-.])\d{3}-\d{4}(?![\w-])/g,
  },
];
