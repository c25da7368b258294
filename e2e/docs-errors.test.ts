import { ERROR_CODES } from '@hermes-observer/core';
import { expect, it } from 'vitest';
import { readSources } from './architecture/source-tree.js';
import { TOP } from './run-command.js';

const files = readSources(TOP);
const page = files.find(({ path }) => path === 'docs/errors.md')?.text ?? '';
const rows = [...page.matchAll(/^\| `(HO_\w+)` \| (.+?) \| (.+) \|$/gm)];

it('docs/errors.md has one row for each code, in the same order', () => {
  expect(rows.map(([, code]) => code)).toEqual([...ERROR_CODES]);
});

it('each code is used in the sources', () => {
  const sources = files.filter(
    ({ path }) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !/errors\.ts$|\.test\.ts$/.test(path),
  );
  const unused = ERROR_CODES.filter((code) => !sources.some(({ text }) => new RegExp(`['[]${code}['\\]]`).test(text)));
  expect(unused).toEqual([]);
});

it('no source or page names a code that does not exist', () => {
  const named = files.flatMap(({ path, text }) =>
    /\.(ts|md)$/.test(path) ? [...text.matchAll(/\bHO_[A-Z][A-Z0-9_]+\b/g)].map(([code]) => code) : [],
  );
  expect([...new Set(named)].filter((code) => !(ERROR_CODES as readonly string[]).includes(code))).toEqual([]);
});
