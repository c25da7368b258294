import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readSources } from './architecture/source-tree.js';
import { TOP } from './run-command.js';

const pages = readSources(TOP).filter(({ path }) => path.endsWith('.md'));

it('every link between pages leads somewhere', () => {
  const links = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => ({ path, target })),
  );
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter(({ path, target }) => !existsSync(join(TOP, dirname(path), target)))).toEqual([]);
});

it('docs/architecture.md names files that exist', () => {
  const page = pages.find(({ path }) => path === 'docs/architecture.md')?.text ?? '';
  const names = [...page.matchAll(/[\w*.-]+\.(?:ts|mjs)\b/g)]
    .map(([name]) => name)
    .filter((name) => !name.includes('*'));
  const known = new Set(readSources(TOP).map(({ path }) => path.split('/').at(-1)));
  expect(names.length).toBeGreaterThan(25);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});
