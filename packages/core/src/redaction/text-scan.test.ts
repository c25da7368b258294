import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { API_KEY_PREFIXES } from './api-keys.js';
import { IBAN_COUNTRIES } from './checksums.js';
import { STEM_AT } from './key-names.js';
import { keyKind } from './secret-keys.js';
import { TextScan } from './text-scan.js';
import { matchAt } from './value-end.js';

/** One for each way that `STEM_AT` can match; the next test fails where one is missing here. */
const STEMS =
  'password passphrase passcode pass pw pwd phrase pin pins _pass secret token api_key apikey key key_id creds credential cookie cvv cvc ' +
  'conn_str connection_string code codes code_verifier client_assertion authorization auth jwt bearer otp dsn mnemonic';

describe('a scan', () => {
  it.each(STEMS.split(' '))('sees the name %s, in either case, at any place, with anything behind it', (name) => {
    for (const text of [
      `${name}=x`,
      `"${name}": "x"`,
      `${name} is x`,
      `${name.toUpperCase()}: x`,
      `${name}\n`,
      `--${name} x`,
    ]) {
      for (const before of ['', ' ', 'x_', 'é ', 'x'.repeat(100), 'é'.repeat(65_534), ' '.repeat(65_535)]) {
        const whole = before + text;
        const at = whole.toLowerCase().indexOf(name, before.length);
        expect(matchAt(STEM_AT, whole, at)?.index).toBe(at);
        expect(new TextScan(whole).stems).toContain(at);
      }
    }
  });

  it('sees each place where a name may be, in any text', () => {
    const words = fc.constantFrom(...STEMS.split(' '), ' ', '=', '-', '_', 'x', 'é', '日', '"', '\\', 'Pass', 'CODE');
    fc.assert(
      fc.property(fc.array(words), fc.nat(200), (parts, spaces) => {
        const text = ' '.repeat(spaces) + parts.join('');
        const { stems } = new TextScan(text);
        for (let at = 0; at < text.length; at++) {
          // A name at the very end has no value behind it.
          if (matchAt(STEM_AT, text, at) !== null && at + 2 < text.length)
            expect(stems, `${text} at ${at}`).toContain(at);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('knows the words of names that tell a secret', () => {
    const told = STEMS.split(' ').filter((name) => keyKind(name) !== undefined);
    expect(told.length).toBeGreaterThan(20);
  });

  it.each(API_KEY_PREFIXES.flatMap(([prefixes, body]) => prefixes.split(' ').map((prefix) => [prefix, body])))(
    'sees a key that starts with %s',
    (prefix, body) => {
      const next = body.startsWith('\\d') ? '1' : /^\[0-9a-f\]/.test(body) ? 'a' : '1';
      for (const before of ['', ' ', '"', '\\n', '%20', '\\u0022', '=', '日']) {
        expect(new TextScan(`${before}${prefix}${next}`).keys).toContain(before.length);
        const far = ' '.repeat(65_530);
        expect(new TextScan(`${far}${before}${prefix}${next}`).keys).toContain(far.length + before.length);
      }
      expect(new TextScan(`abc${prefix}${next}`).keys).not.toContain(3);
    },
  );

  it('sees accounts, numbers, addresses and options', () => {
    for (const country of IBAN_COUNTRIES) expect(new TextScan(`to ${country}89`).ibans).toEqual([3]);
    expect(new TextScan('a 123 b').digits).toEqual([2]);
    expect(new TextScan('see https://x').urls).toEqual([9]);
    expect([new TextScan('mysql -px').hasOption, new TextScan('a-px').hasOption]).toEqual([true, false]);
    expect([new TextScan('a Bearer x').hasRareWord, new TextScan('a word').hasRareWord]).toEqual([true, false]);
  });
});
