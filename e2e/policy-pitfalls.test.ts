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

it.each(['approvals', 'guards'])('every test of %s.e2e.ts is in the table', (name) => {
  const text = readFileSync(join(TOP, `e2e/policy/pitfalls/${name}.e2e.ts`), 'utf8');
  const titles = [...text.matchAll(/^it\('((?:[^'\\]|\\.)*)'/gm)].map(([, title]) => title);
  const named = new Set([...PITFALLS, ...ASKS].flatMap(({ tests }) => tests.map(({ title }) => title)));
  expect(titles.length).toBeGreaterThan(8);
  expect(titles.filter((title) => !named.has(title ?? ''))).toEqual([]);
});
