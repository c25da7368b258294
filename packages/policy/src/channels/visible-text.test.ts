import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOSTILE, UNSEEN } from './scene.test-support.js';
import { visibleLine, visibleText } from './visible-text.js';

it('what hides or turns text is written out, and line breaks stay', () => {
  expect(visibleText('a\u202eb\n\tc\u001b[2J \u{e0041} \u200d\ufff9')).toBe(
    'a\\u202eb\n\\tc\\u001b[2J \\udb40\\udc41 \\u200d\\ufff9',
  );
  expect(visibleLine('a\nb\r\nc')).toBe('a\\nb\\u000d\\nc');
  expect(visibleText('Grüße, 日本, שלום, 😀')).toBe('Grüße, 日本, שלום, 😀');
});

it('JSON stays JSON that says the same', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE));
  fc.assert(
    fc.property(fc.dictionary(texts, fc.oneof(texts, fc.jsonValue())), (value) => {
      const json = JSON.stringify(value, undefined, 2);
      const shown = visibleText(json);
      expect(shown).not.toMatch(UNSEEN);
      expect(JSON.stringify(JSON.parse(shown))).toBe(JSON.stringify(JSON.parse(json)));
    }),
  );
});
