import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutToJsonSize, jsonSize } from './json-size.js';

const bytesInJson = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;
// All UTF-16 units, lone surrogates and control characters included.
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
const text = fc.oneof(
  anyText,
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u0001', '\u007f') }),
);

it('is the size JSON.stringify gives', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(jsonSize(value)).toBe(bytesInJson(value));
    }),
  );
});

it('cuts to the longest start that fits, and no pair in two', () => {
  fc.assert(
    fc.property(text, fc.nat(60), (value, max) => {
      const cut = cutToJsonSize(value, max);
      expect(value.startsWith(cut)).toBe(true);
      expect(bytesInJson(cut)).toBeLessThanOrEqual(max);
      const next = value.slice(cut.length);
      if (next !== '') {
        const more = cut + String.fromCodePoint(next.codePointAt(0) as number);
        expect(bytesInJson(more)).toBeGreaterThan(max);
      }
    }),
  );
});
