import { expect, it } from 'vitest';
import { hasSafeHooks } from './safe-hooks.js';

it.each([
  ['20.19.0', false],
  ['22.15.0', false],
  ['22.22.2', false],
  ['22.22.3', true],
  ['22.23.0', true],
  ['24.11.0', false],
  ['24.11.1', true],
  ['25.0.0', false],
  ['25.1.0', true],
  ['26.0.0', true],
])('hooks of Node.js %s get along with those of other threads: %s', (version, expected) => {
  expect(hasSafeHooks(version)).toBe(expected);
});
