import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText } from './escape.js';

describe('escapeText', () => {
  it.each([
    ['plain text, naïve 日本語 🙂', 'plain text, naïve 日本語 🙂'],
    ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['\x9b2J', '\\x9b2J'],
    ['a\r\nb\tc', 'a b c'],
    ['nul\0', 'nul\\x00'],
    ['\u202etxt.exe', '\\u{202e}txt.exe'],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['\ud800', '\\u{d800}'],
    ['hidden \u{e0041}', 'hidden \\u{e0041}'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('writes %j as %j', (text, expected) => {
    expect(escapeText(text)).toBe(expected);
  });

  it('lets no control character through, changes nothing a second time, and is one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const safe = escapeText(text);
        expect(safe).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
        expect(escapeText(safe)).toBe(safe);
      }),
    );
  });

  it('looks at the start of a huge text only', () => {
    expect(escapeText('x'.repeat(10_000_000)).length).toBeLessThanOrEqual(4096);
  });
});
