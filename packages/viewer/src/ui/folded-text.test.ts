import { describe, expect, it } from 'vitest';
import { foldedLength } from './folded-text.js';

describe('foldedLength', () => {
  it('leaves short texts whole', () => {
    expect(foldedLength('a'.repeat(900))).toBe(900);
    expect(foldedLength('a'.repeat(1000))).toBe(1000);
  });

  it('folds by length and by lines', () => {
    expect(foldedLength('a'.repeat(5_000_000))).toBe(900);
    expect(foldedLength('ab\n'.repeat(100))).toBe(41);
    expect(foldedLength('\n'.repeat(100))).toBe(13);
  });
});
