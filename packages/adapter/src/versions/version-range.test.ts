import { expect, it } from 'vitest';
import { isInRange } from './version-range.js';

it.each([
  ['7.0.0', '>=7.0.0 <8', true],
  ['7.0.173', '>=7.0.0 <8', true],
  ['6.9.9', '>=7.0.0 <8', false],
  ['8.0.0', '>=7.0.0 <8', false],
  ['0.20.0', '>=0.20.0 <1', true],
  ['0.19.9', '>=0.20.0 <1', false],
  ['6.50.1', '>=6.49.0 <7 || >=7.59.0 <8', true],
  ['7.1.0', '>=6.49.0 <7 || >=7.59.0 <8', false],
  // Versions to come are not those that were tested.
  ['7.1.0-beta.3', '>=7.0.0 <8', false],
  ['7.0.0', '^7.0.0', false],
  ['7.0.0', '', false],
])('%s is in %s: %s', (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});
