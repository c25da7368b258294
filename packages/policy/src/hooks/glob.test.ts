import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.js';

describe('compileGlob', () => {
  it.each<[string, string, boolean]>([
    ['pay', 'pay', true],
    ['pay', 'payment', false],
    ['pay', 'PAY', false],
    ['pay*', 'payment', true],
    ['*__delete', 'crm__delete', true],
    ['*__delete', 'crm__delete\n', false],
    ['*', '', true],
    ['?', '', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'acb', false],
    ['r?ad', 'read', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]]', ']', true],
    ['[a-]', '-', true],
    ['{read,write}_file', 'write_file', true],
    ['{a,b{c,d}}', 'bd', true],
    ['{a,b', 'x', false],
    ['a,b', 'a,b', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['[{]a}', '{a}', true],
    ['a.c', 'abc', false],
    ['(a+)+$', 'aaa', false],
  ])('%s against %s', (pattern, text, expected) => {
    if (pattern === '{a,b') expect(() => compileGlob(pattern)).toThrow('without its `}`');
    else expect(compileGlob(pattern)(text)).toBe(expected);
  });

  it.each(['[a', '[!', 'a\\', '[z-a]', `${'{a,b}'.repeat(9)}`, 'a'.repeat(2000)])('refuses %s', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(SyntaxError);
  });

  it('neither hangs nor says no where it cannot tell: hostile patterns and a megabyte of text', () => {
    const text = 'a'.repeat(1_000_000);
    const began = performance.now();
    expect(compileGlob(`${'*a'.repeat(100)}*b`)(text)).toBe(false);
    expect(() => compileGlob(`*${'a'.repeat(500)}b*`)(text)).toThrow(RangeError);
    expect(compileGlob('*needle*')(`${text}needle${text}`)).toBe(true);
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
