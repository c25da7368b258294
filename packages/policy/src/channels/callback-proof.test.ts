import { expect, it } from 'vitest';
import { isSameSecret } from '../call/same-secret.js';
import { timeFault } from './callback-proof.js';

const NOW = 1_790_000_000_000;

it('a time is ten digits, and within five minutes of now in both directions', () => {
  for (const good of ['1790000000', '1790000300', '1789999700']) expect(timeFault(good, NOW), good).toBeUndefined();
  const bad = [
    '1790000301',
    '1789999699',
    '01790000000',
    '1790000000000',
    '179000000',
    '1790000000.0',
    '+1790000000',
    ' 1790000000',
  ];
  for (const one of [...bad, '1790000000\n', '1.79e9', 'NaN', '', undefined]) {
    expect(timeFault(one, NOW), one).toBeTypeOf('string');
  }
});

it('texts of any length are compared, none equals an empty one', () => {
  expect([isSameSecret('a', 'a'), isSameSecret('a', 'b'), isSameSecret('', 'a'), isSameSecret('aa', 'a')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
