import fc from 'fast-check';
import { expect, it } from 'vitest';
import { faultOfPattern, isCovered } from './pattern.js';

it.each<[boolean, unknown, unknown, Record<string, string>]>([
  [true, { path: '/srv/a', mode: 1 }, { path: '/srv/b', mode: 1 }, { path: '/srv/*' }],
  [false, { path: '/srv/a', mode: 1 }, { path: '/srv/b', mode: 2 }, { path: '/srv/*' }],
  [false, { path: '/srv/a' }, { path: '/srv/../etc/passwd' }, { path: '/srv/*' }],
  [false, { path: 'C:\\srv\\a' }, { path: 'C:\\srv\\..\\a' }, { path: '*' }],
  [true, { path: '/srv/../a' }, { path: '/srv/../a' }, { path: '/srv/*' }],
  [true, { name: 'a' }, { name: 'b..c' }, { name: '*' }],
  [false, { path: 'a' }, { path: ['a'] }, { path: '*' }],
  [false, { path: 'a' }, { path: { toString: 'a' } }, { path: '*' }],
  [true, { items: [{ p: 'a' }, { p: 'b' }] }, { items: [{ p: 'c' }, { p: 'd' }] }, { 'items[*].p': '?' }],
  [false, { items: [{ p: 'a' }] }, { items: [{ p: 'a' }, { p: 'b' }] }, { 'items[*].p': '?' }],
  [false, { items: [] }, { items: [] }, { 'items[*].p': '*' }],
  [false, { a: 1 }, { a: 1 }, { b: '*' }],
  [false, { a: '1' }, { a: 1 }, { b: '*' }],
  [false, JSON.parse('{"__proto__":1,"a":1}'), { a: 1 }, { a: '*' }],
  [false, { a: { b: 1 } }, { a: { b: 1 } }, { a: '*' }],
])('%s: %j → %j by %j', (expected, approved, args, pattern) => {
  expect(isCovered(approved, args, pattern)).toBe(expected);
});

it('covers the approved arguments themselves, and nothing that differs away from its paths', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(fc.string(), json, json, (text, rest, other) => {
      const same = JSON.stringify(rest) === JSON.stringify(other);
      expect(isCovered({ text, rest }, { text, rest }, { text: '*' })).toBe(true);
      expect(isCovered({ text, rest }, { text: 'another', rest: other }, { text: '*' })).toBe(same);
    }),
  );
});

it('says what is wrong with a pattern', () => {
  expect(faultOfPattern({ amount: '1*' })).toBeUndefined();
  expect(faultOfPattern({})).toMatch(/1 to 20/);
  expect(faultOfPattern({ 'a[': '*' })).toMatch(/no path/);
  expect(faultOfPattern({ a: '[' })).toMatch(/\[/);
});
