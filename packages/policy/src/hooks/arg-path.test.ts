import { describe, expect, it } from 'vitest';
import { EACH, parseArgPath, valuesAt } from './arg-path.js';

describe('parseArgPath', () => {
  it.each<[string, unknown[]]>([
    ['amount', ['amount']],
    ['a.b[0].c', ['a', 'b', 0, 'c']],
    ['items[*].path', ['items', EACH, 'path']],
    ['["a.b"].c["d\\"e"]', ['a.b', 'c', 'd"e']],
    ['[0]', [0]],
    ['with space', ['with space']],
  ])('reads %s', (path, steps) => expect(parseArgPath(path)).toEqual(steps));

  it.each(['', '.', 'a.', 'a..b', 'a[', 'a[-1]', 'a[x]', 'a]b', '["a', 'a[*]b'])('refuses %j', (path) => {
    expect(() => parseArgPath(path)).toThrow(SyntaxError);
  });
});

describe('valuesAt', () => {
  const args = { items: [{ path: 'a' }, { path: 'b' }, 1], n: null, __proto__x: 1 };
  it.each<[string, unknown[]]>([
    ['items[*].path', ['a', 'b']],
    ['items[1].path', ['b']],
    ['items[9].path', []],
    ['n', [null]],
    ['n.x', []],
    ['constructor.name', []],
    ['__proto__', []],
    ['items.length', [3]],
  ])('%s', (path, values) => expect(valuesAt(args, parseArgPath(path))).toEqual(values));
});
