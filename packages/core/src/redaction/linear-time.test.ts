import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../snapshot/json.js';
import { API_KEY_PREFIXES } from './api-keys.js';
import { Redactor } from './redactor.js';

const SIZE = 16_000;
/** Four times the text may take four times as long. Quadratic time takes sixteen times as long. */
const MOST_RATIO = 12;
/** Less than this is no time to compare: a pause of the machine is longer. */
const NOISE_MS = 25;

/** All that there is to look for. */
const redactor = new Redactor({ patterns: { ipv4: true, ipv6: true } });
const withOwn = new Redactor({ keys: ['customerName', 'a-b-c'], rule: (value) => value, mode: 'remove' });

const prefixes = API_KEY_PREFIXES.flatMap(([all]) => all.split(' '));

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

/** More of them: command lines, netrc, numbers, addresses, JSON, characters that cannot be seen. */
const MORE_PIECES = [
  'mysql -p',
  'mysql -pa ',
  'mysql "',
  "mysql -p'a",
  'mysql ',
  'sshpass -p ',
  'docker login ',
  'smbclient -U %',
  'machine ',
  'machine a ',
  'machine a login b ',
  'login a ',
  'default password ',
  'password ',
  ' password',
  'password is: ',
  'password is ',
  'password is',
  'auth=("a" ',
  'auth=["a", ',
  'auth=("',
  'secret=[\\"',
  'pin: ',
  'pin',
  'pin: 1',
  '1.',
  '1.1.1.',
  '255.',
  'a:',
  '::',
  'a::',
  'f:f',
  '1:2:3:4:5:6:7:',
  '.atlasv1.',
  'a.atlasv1.',
  '_mmk',
  'a_mmk',
  'AZDO',
  'aAZDO',
  '1Q~',
  'MTE',
  '.MTEx.',
  'NzA1.a.',
  'PuTTY-User-Key-File-2',
  'Private-Lines: 1\n',
  'Private-Lines: 1\na',
  'GB29',
  ' GB29',
  'GB29 AAAA ',
  '\u200b',
  'pass\u200bword=',
  '\ufe0f',
  '{"a":',
  '{"a":[',
  '[[',
  '["--token","',
  'customer_name',
  'customer name: ',
  'customer_name="',
  'a-b-',
  'abc=',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKE',
  'AKIAIOSFODNN7EXAMPLE ',
  'AKIA',
  ' -u a:',
  '--user ',
  'x@x.',
  '%2',
  '\\u002',
  '$',
  '\u0130',
];

function millisOf(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** Compares the time for a text with that for one four times as long, and once more where the machine may have paused. */
function expectLinear(textOf: (units: number) => string): void {
  for (const of of [textOf, (units: number) => JSON.stringify({ a: textOf(units) })]) {
    const [short, long] = [of(SIZE), of(4 * SIZE)];
    for (const one of [redactor, withOwn]) {
      let [once, more] = [0, Number.POSITIVE_INFINITY];
      for (let tries = 0; tries < 5 && more > Math.max(once * MOST_RATIO, NOISE_MS); tries++) {
        more = Math.min(
          more,
          millisOf(() => one.text(long)),
        );
        if (more > NOISE_MS)
          once = Math.max(
            once,
            millisOf(() => one.text(short)),
          );
      }
      expect(more, `ms for ${long.length} units; ${once} ms for ${short.length}`).toBeLessThanOrEqual(
        Math.max(once * MOST_RATIO, NOISE_MS),
      );
    }
  }
}

describe('a text takes time linear in its length', () => {
  it.each([
    ...PIECES,
    ...MORE_PIECES,
    ...prefixes,
    ...prefixes.map((prefix) => `-${prefix}a1`),
    ...prefixes.map((prefix) => `${prefix}${'a'.repeat(15)}.`),
  ])('of %j repeated', (piece) => {
    expectLinear((units) => piece.repeat(Math.ceil(units / piece.length)));
    redactor.text(`${piece}${'a'.repeat(4 * SIZE)}`);
    redactor.text(`${piece}${'1'.repeat(4 * SIZE)}`);
  });

  it.each(PIECES.concat(MORE_PIECES))('of %j and then one letter, or one digit', (piece) => {
    expectLinear((units) => `${piece}${'a'.repeat(units)}`);
    expectLinear((units) => `${piece}${'1'.repeat(units)}`);
  });
});

describe('data take time linear in their size', () => {
  it.each([
    ['deep', (n: number) => JSON.parse(`${'['.repeat(n / 100)}1${']'.repeat(n / 100)}`)],
    ['wide', (n: number) => Array.from({ length: n / 10 }, (_, i) => ({ [`k${i}`]: 'password' }))],
    ['masked alike', (n: number) => Object.fromEntries(Array.from({ length: n / 100 }, (_, i) => [`k${i}@a.org`, 1]))],
    [
      'JSON in JSON',
      (n: number) => Array.from({ length: 6 }).reduce((text) => JSON.stringify({ text }), 'x'.repeat(n)),
    ],
  ])('%s', (_, dataOf) => {
    const [short, long] = [dataOf(SIZE) as JsonValue, dataOf(4 * SIZE) as JsonValue];
    const once = Math.max(
      millisOf(() => redactor.value(short)),
      NOISE_MS / 4,
    );
    expect(millisOf(() => redactor.value(long))).toBeLessThan(Math.max(once * MOST_RATIO, NOISE_MS));
  });
});
