import { readFileSync } from 'node:fs';
import { BEHAVIOURS } from '@hermes-observer/core/testing';
import { expect, it } from 'vitest';

it('docs/writing-an-adapter.md has a row for each behaviour of the kit, in the same order', () => {
  const page = readFileSync(new URL('../docs/writing-an-adapter.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name, script]) => [name, script]);
  expect(rows).toEqual(Object.entries(BEHAVIOURS).map(([name, { script }]) => [name, script]));
  expect(page).toContain('plays fourteen behaviours');
  expect(rows).toHaveLength(14);
});
