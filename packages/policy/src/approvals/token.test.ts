import { expect, it } from 'vitest';
import { randomToken } from './token.js';

it('a token has 128 bits, and is no option of a command', () => {
  const tokens = Array.from({ length: 2_000 }, randomToken);
  expect(new Set(tokens).size).toBe(2_000);
  expect(tokens.filter((token) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/.test(token))).toEqual([]);
});
