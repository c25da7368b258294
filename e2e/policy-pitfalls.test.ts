import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ASKS, PITFALLS } from './policy/pitfalls/table.mjs';
import { TOP } from './run-command.js';

// `npm run e2e:policy` runs them; this tells at once when one is renamed.
it.each([...PITFALLS, ...ASKS].map((row) => [row.what, row] as const))(
  '%s: its tests are there',
  (_, { tests, seen }) => {
    expect(seen.length).toBeGreaterThan(0);
    expect(tests.length).toBeGreaterThan(0);
    const missing = tests.filter(({ file, title }) => !readFileSync(join(TOP, file), 'utf8').includes(title));
    expect(missing).toEqual([]);
  },
);

it('every test of the file that is only for this table is in it', () => {
  const file = 'e2e/policy/pitfalls/pitfalls.e2e.ts';
  const titles = [...readFileSync(join(TOP, file), 'utf8').matchAll(/^it\('((?:[^'\\]|\\.)*)'/gm)].map(
    ([, title]) => title,
  );
  const named = new Set([...PITFALLS, ...ASKS].flatMap(({ tests }) => tests.map(({ title }) => title)));
  expect(titles.length).toBeGreaterThan(20);
  expect(titles.filter((title) => !named.has(title ?? ''))).toEqual([]);
});
