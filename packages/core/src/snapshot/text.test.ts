import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CUT_MARK, cutString, cutToBytes, utf8Length, wellFormed } from './text.js';

describe('cutString', () => {
  it('says how much is missing', () => {
    expect(cutString('a'.repeat(100), 50)).toBe(`${'a'.repeat(37)}…[+63 chars]`);
    expect(cutString('short', 50)).toBe('short');
    expect(cutString('a'.repeat(100), 10)).toBe('aaaaaa…[+]');
    expect(cutString('a'.repeat(100), 3)).toBe('');
  });

  it('never splits a pair, keeps the limit, and counts right', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 300 }), fc.nat(200), (text, limit) => {
        const cut = cutString(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(wellFormed(cut)).toBe(cut);
        if (cut !== text && cut !== '') expect(cut).toMatch(CUT_MARK);
        const mark = CUT_MARK.exec(cut);
        if (mark !== null && cut !== text) {
          const missing = /\d+/.exec(mark[0])?.[0];
          if (missing !== undefined) expect(mark.index + Number(missing)).toBe(text.length);
          expect(text.startsWith(cut.slice(0, mark.index))).toBe(true);
        }
      }),
    );
  });
});

describe('cutToBytes', () => {
  it('keeps the limit and most of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.nat(600), (text, limit) => {
        const cut = cutToBytes(text, limit);
        expect(utf8Length(cut)).toBeLessThanOrEqual(limit);
        if (utf8Length(text) <= limit) expect(cut).toBe(text);
      }),
    );
    expect(utf8Length(cutToBytes('€'.repeat(1000), 600))).toBeGreaterThan(560);
  });
});

describe('wellFormed and utf8Length', () => {
  it('agree with Buffer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0, max: 0xffff })), (text, units) => {
        const broken = text + String.fromCharCode(...units);
        expect(wellFormed(broken)).toBe(Buffer.from(broken).toString());
        expect(utf8Length(broken)).toBe(Buffer.byteLength(broken));
      }),
    );
  });
});
