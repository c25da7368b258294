import { isCardNumber, isInternationalNumber } from './checksums.js';
import { isAddress4, isAddress6 } from './ip-addresses.js';
import { isMixed } from './key-search.js';
import type { PatternKind } from './kinds.js';

/**
 * One kind of thing that must not leave. Each expression takes time linear in the text, for any text: it starts at a
 * literal or behind a boundary, and what it repeats is bounded or can be entered once only.
 */
export interface Pattern {
  readonly kind: PatternKind;
  readonly regexp: RegExp;
  /** Text without this has no match; saves the search. */
  readonly needs?: string;
  /** What a `TextScan` must have seen, so that the search is worth its time. */
  readonly hint?: 'hasOption' | 'hasRareWord';
  /** Refuses what only looks alike. */
  readonly check?: (match: string) => boolean;
  /** The match begins with the first group, which is not secret. */
  readonly keepsStart?: true;
}

const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
const hasDigit = (match: string): boolean => /\d/.test(match);

/** Secrets by their form, in the order of their use: what holds others comes first. */
export const SECRET_PATTERNS: readonly Pattern[] = [
  {
    kind: 'private_key',
    hint: 'hasRareWord',
    needs: '-----BEGIN ',
    // A key whose end was cut off goes up to the end of the text.
    regexp:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  {
    kind: 'private_key',
    hint: 'hasRareWord',
    needs: 'PuTTY-User-Key-File-',
    regexp: /Private-Lines: \d{1,5}\r?\n[A-Za-z0-9+/=\r\n]+/g,
  },
  {
    kind: 'webhook_url',
    hint: 'hasRareWord',
    needs: 'hook',
    regexp:
      /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[\w/-]{8,200}|discord(?:app)?\.com\/api\/webhooks\/[\w/-]{8,200}|webhook\.office\.com\/[\w/@-]{8,200}|hooks\.zapier\.com\/hooks\/[\w/-]{8,200}/g,
  },
  {
    kind: 'credentials',
    hint: 'hasOption',
    needs: '-u',
    regexp: /((?:^|\s)(?:-u|--user|--proxy-user)[ =]{1,4}["']?)[^\s:"']{1,128}:[^\s"']{1,256}/g,
    // Numbers of a user and a group.
    check: (match) => !/\d:\d+$/.test(match) || !/[ =]["']?\d+:\d+$/.test(match),
    keepsStart: true,
  },
  {
    kind: 'signature',
    hint: 'hasRareWord',
    needs: '=',
    regexp: /\b((?:x-amz-|x-goog-)?(?:sig|signature)=)[A-Za-z0-9%+/=_-]{16,}/gi,
    keepsStart: true,
  },
  // Keys that are known by what stands inside them; those with a prefix are searched for apart.
  { kind: 'api_key', hint: 'hasRareWord', needs: '.atlasv1.', regexp: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g },
  { kind: 'api_key', hint: 'hasRareWord', needs: '_mmk', regexp: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/g },
  { kind: 'api_key', hint: 'hasRareWord', needs: 'AZDO', regexp: /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g },
  { kind: 'client_secret', hint: 'hasRareWord', needs: 'Q~', regexp: /[\w~.-]{3}\dQ~[\w~.-]{30,36}/g },
  { kind: 'bot_token', hint: 'hasRareWord', needs: ':AA', regexp: /(?<![0-9])[0-9]{8,10}:AA[\w-]{32,35}(?![\w-])/g },
  {
    kind: 'bearer',
    hint: 'hasRareWord',
    regexp: /\b((?:bearer|basic)[ \t]{1,4})[A-Za-z0-9._~+/=-]{8,}/gi,
    check: hasDigit,
    keepsStart: true,
  },
];

/** What is as long as an AWS secret key, where an AWS key id stands in the same text. */
export const AWS_SECRET_PATTERN: Pattern = { kind: 'aws_secret', regexp: AWS_SECRET, check: isMixed };
export const AWS_KEY_ID = /A(?:KIA|SIA)[A-Z0-9]{16}/y;

export const SHORTEST_NUMBER = 9;

/** Numbers of at least `SHORTEST_NUMBER` digits, three of them side by side. */
export const NUMBER_PATTERNS: readonly Pattern[] = [
  {
    kind: 'card',
    regexp:
      /[3-6](?<![\w.+-][3-6])(?:\d{13,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{4}|\d{3}[ -]\d{6}[ -]\d{4,5})(?![\w-]|\.\d)|2(?<![\w.+-]2)[2-7]\d\d(?:\d{12}|([ -])\d{4}\2\d{4}\2\d{4})(?![\w-]|\.\d)/g,
    check: isCardNumber,
  },
  {
    kind: 'ssn',
    needs: '-',
    regexp: /\d{3}(?<![\w.-]\d{3})-\d{2}-\d{4}(?![\w-])/g,
    check: (match) => !/^(?:000|666|9)/.test(match),
  },
  {
    kind: 'phone',
    needs: '-',
    regexp: /(?:\(\d{3}\)(?<![\w.)-]\(\d{3}\)) ?|\d{3}(?<![\w.+(-]\d{3})[-.])\d{3}-\d{4}(?![\w-])/g,
  },
];

/** More of them, which may have no three digits side by side. */
export const SPREAD_NUMBER_PATTERNS: readonly Pattern[] = [
  {
    kind: 'phone',
    needs: '+',
    regexp: /\+(?<!(?:[\w+)]|==)\+)[1-9](?:[ ().-]{0,2}\d){7,14}(?![\w-])/g,
    check: isInternationalNumber,
  },
  {
    kind: 'ipv6',
    needs: ':',
    regexp: /(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:|::)[0-9A-Fa-f:]{1,39}(?:\.\d{1,3}){0,3}(?![\w:])/g,
    check: isAddress6,
  },
  { kind: 'ipv4', needs: '.', regexp: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)/g, check: isAddress4 },
];
