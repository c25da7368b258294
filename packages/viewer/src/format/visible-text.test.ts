import { describe, expect, it } from 'vitest';
import { growth } from './growth.test-support.js';
import { visibleLine, visibleText } from './visible-text.js';

describe('visibleText', () => {
  it.each([
    ['plain <b>text</b>\n\tas it is', 'plain <b>text</b>\n\tas it is'],
    ['\u007f\u0085', '⟨DEL⟩⟨U+0085⟩'],
    ['\u001b[31mred\u0007\u0000', '⟨ESC⟩[31mred⟨BEL⟩⟨NUL⟩'],
    ['invoice\u202efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
    ['a\u2066b\u2069\u200b\ufeff', 'a⟨U+2066⟩b⟨U+2069⟩⟨U+200B⟩⟨U+FEFF⟩'],
    ['a\r\nb\rc', 'a\nb⟨CR⟩c'],
    ['\ud800 and \udc00', '⟨U+D800⟩ and ⟨U+DC00⟩'],
    ['👩‍👩‍👧 日本語 שלום', '👩‍👩‍👧 日本語 שלום'],
    [`z${'\u0301'.repeat(50)}`, `z${'\u0301'.repeat(6)}⟨marks⟩`],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('puts text on one line, cut', () => {
    expect(visibleLine('a\n\n  b\tc')).toBe('a b c');
    expect(visibleLine('abcdef', 3)).toBe('abc…');
    expect(visibleLine('ab👩', 3)).toBe('ab…');
  });

  it('takes no longer than the text is long', () => {
    const work = (count: number) => {
      const text = '\u202e\u0301'.repeat(count);
      return () => visibleText(text);
    };
    // Five times as much; were it squared, 25 times as long.
    expect(growth(work(100_000), work(500_000), 15)).toBeLessThan(15);
  });
});
