import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { semconv } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { readSources } from './architecture/source-tree.js';
import { runNode, TOP } from './run-command.js';

const page = readFileSync(join(TOP, 'docs/span-model.md'), 'utf8');

it('the attribute tables of docs/span-model.md are in step with semconv.ts', async () => {
  const { code, stderr } = await runNode(['scripts/generate-docs.mjs', '--check']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of Object.values(semconv)) expect(page).toContain(`| \`${name}\` |`);
});

it('a table that was changed by hand is found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  const changed = join(folder, 'span-model.md');
  writeFileSync(changed, page.replace('Limit on the answer.', 'A limit.'));
  const { code } = await runNode(['scripts/generate-docs.mjs', '--check', changed]);
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
});

it('every name in semconv.ts is one that spans can carry', () => {
  const sources = readSources(join(TOP, 'packages/otel/src'))
    .filter(({ path }) => !/\.test(-support)?\.ts$/.test(path) && !path.endsWith('semconv.ts'))
    .map(({ text }) => text)
    .join('\n');
  const unused = Object.entries(semconv).filter(
    ([constant, name]) => !new RegExp(`\\b${constant}\\b`).test(sources) && !sources.includes(`'${name}'`),
  );
  expect(unused).toEqual([]);
});
