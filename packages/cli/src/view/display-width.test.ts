import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth } from './display-width.js';

describe('cutToWidth', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abcdef', 1, '…'],
    ['abcdef', 0, ''],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本語', 1, '…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['a👩‍👩‍👧b', 4, 'a👩‍👩‍👧b'],
    ['é'.normalize('NFD').repeat(3), 2, `${'é'.normalize('NFD')}…`],
  ])('cuts %j to %d columns: %j', (text, width, expected) => {
    expect(cutToWidth(text, width)).toBe(expected);
  });

  it('is never wider than asked, and only cut where it must be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const cut = cutToWidth(text, width);
        expect(stringWidth(cut)).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width) expect(cut).toBe(text);
      }),
    );
  });

  it('takes heaped marks off a letter', () => {
    expect(cutToWidth(`z${'\u0301'.repeat(5000)}!`, 10)).toBe('z!');
  });
});
