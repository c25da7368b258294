import { describe, expect, it } from 'vitest';
import { API_KEY_PREFIXES } from './api-keys.js';
import { redactText } from './redact-text.js';

const SIZE = 1_000_000;
/** Generous for a slow machine; quadratic time would be minutes. */
const LIMIT_MS = 3000;

const prefixes = API_KEY_PREFIXES.map(([prefix]) =>
  prefix
    .replace(/\[(.).*?\]/g, '$1')
    .replace(/\(\?:(\w+).*?\)/g, '$1')
    .replaceAll('\\', ''),
);

/** Pieces that begin a match again and again and never finish it. */
const PIECES = [
  'a',
  '1',
  ' ',
  '-',
  '\\',
  '"',
  '{"',
  '[',
  'a.',
  '1 ',
  '+1',
  '4 1',
  '(1',
  'DE89 ',
  'DE89',
  'A1',
  'a@',
  '@',
  'a@a.',
  'a@1.',
  'a-',
  '://',
  '://a:',
  '://a',
  '-u a',
  '-u ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  'eyJ',
  'eyJ-',
  '-eyJ',
  'eyJa.',
  'eyJaaaaa.',
  'hooks.slack.com/services/',
  'bearer ',
  'bearer a',
  'basic \t',
  '12345678:AA',
  ':AA',
  '8Q~',
  'a8Q~',
  'password',
  'password=',
  'password="',
  'password=\\"',
  'token:',
  'token: "\n',
  'token',
  'key',
  'secret_',
  '"credentials":{',
  '"credentials":[',
  '"token":"',
  'code',
  'cookie: a=',
  'authorization: bearer ',
  '--token ',
  '--password-',
  'api_key = ',
  '123-',
  '123-45-',
  '\\\\"',
  '\u{1f511}',
  'pass:',
  '_',
  'api ',
  'password=os.',
  'token==\\"',
  'token == "',
  '<secret',
  '<secret>',
  'secret: |\n ',
  'secret: |\n',
  'key value',
  'sig=',
  'AKIA/',
  'authorization: digest a=',
  'authorization: digest a=",',
  'x@x.x.',
  '999.',
  'a%20',
  '\\n',
  '\\u0022',
  'é',
  '…[+1 chars]',
];

describe('redactText takes time linear in the text', () => {
  it.each([
    ...PIECES,
    ...prefixes,
    ...prefixes.map((prefix) => `-${prefix}a1`),
    ...prefixes.map((prefix) => `${prefix}${'a'.repeat(15)}.`),
  ])('of %j repeated', (piece) => {
    const text = piece.repeat(Math.ceil(SIZE / piece.length));
    const started = performance.now();
    redactText(text);
    redactText(`${piece}${'a'.repeat(SIZE)}`);
    redactText(`${piece}${'1'.repeat(SIZE)}`);
    expect(performance.now() - started).toBeLessThan(LIMIT_MS);
  });
});
