import { describe, expect, it } from 'vitest';
import { rowAfterKey } from './keys.js';
import { findNext, TypeToFind } from './type-to-find.js';

describe('rowAfterKey', () => {
  it.each([
    ['ArrowDown', 5, 6],
    ['ArrowDown', 99, 99],
    ['ArrowUp', 0, 0],
    ['ArrowDown', -1, 0],
    ['PageDown', 5, 14],
    ['PageDown', 95, 99],
    ['PageUp', 5, 0],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['x', 50, undefined],
  ])('%s from %d leads to %s', (key, row, after) => {
    expect(rowAfterKey(key, row, 100, 10)).toBe(after);
  });
});

describe('type to find', () => {
  const key = (letter: string, more = {}) => ({ key: letter, ctrlKey: false, metaKey: false, altKey: false, ...more });

  it('makes a word of letters that come soon', () => {
    const find = new TypeToFind();
    expect(find.add(key('R'), 1000)).toBe('r');
    expect(find.add(key('e'), 1500)).toBe('re');
    expect(find.add(key(' '), 1600)).toBe('re ');
    expect(find.add(key('t'), 9000)).toBe('t');
    expect(find.add(key('Enter'), 9100)).toBeUndefined();
    expect(find.add(key('c', { ctrlKey: true }), 9100)).toBeUndefined();
    // A page that was opened just now has a clock near 0.
    expect(new TypeToFind().add(key('/'), 100)).toBeUndefined();
  });

  it('goes round', () => {
    const names = ['Read', 'write', 'read', 'run'];
    const find = (word: string, from: number) => findNext(word, from, names.length, (row) => names[row] ?? '');
    expect([find('read', 1), find('read', 3), find('r', 1), find('x', 0)]).toEqual([2, 0, 1, -1]);
  });
});
