import { describe, expect, it } from 'vitest';
import { growth } from '../traces/growth.test-support.js';
import { displayWidth } from '../view/display-width.js';
import { wrap } from './wrap.js';

describe('wrap', () => {
  it('breaks at blanks, and where there are none', () => {
    expect(wrap('one two three four', 9, 10).lines).toEqual(['one two', 'three', 'four']);
    expect(wrap('abcdefghij', 4, 10).lines).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrap('a\n\nb\n', 9, 10)).toEqual({ lines: ['a', '', 'b', ''], isCut: false });
    expect(wrap('', 9, 10).lines).toEqual(['']);
  });

  it('says when there is more', () => {
    expect(wrap('a\nb\nc', 9, 2)).toEqual({ lines: ['a', 'b'], isCut: true });
    expect(wrap('one two three', 5, 1)).toEqual({ lines: ['one'], isCut: true });
  });

  it('is never too wide, whatever the signs, and lets none through that a terminal obeys', () => {
    const hostile = `${'漢字'.repeat(30)}\x1b[31m\u202e${'👩‍👩‍👧'.repeat(9)}${'e\u0301'.repeat(40)}\ud800\x9b2J`;
    for (const width of [4, 7, 20, 80]) {
      const { lines } = wrap(hostile.repeat(80), width, 100_000);
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
      expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  it('looks only at what it shows of a large text', () => {
    const work = (text: string) => () => {
      for (let i = 0; i < 20; i++) expect(wrap(text, 76, 12).lines).toHaveLength(12);
    };
    // A thousand times as large.
    expect(growth(work('x '.repeat(5_000)), work('x '.repeat(5_000_000)), 100)).toBeLessThan(100);
  });
});
