import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Modules that loading `entry` loads, packages by name. Type imports and `import type` leave no trace at run time. */
function loadedBy(entry: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(entry.href)) return seen;
  seen.add(entry.href);
  const source = readFileSync(entry, 'utf8');
  for (const [, clause, specifier] of source.matchAll(/^(?:import|export)\s+([^;'"]*?from\s+)?['"]([^'"]+)['"]/gm)) {
    if (specifier === undefined || clause?.startsWith('type ')) continue;
    if (specifier.startsWith('.')) loadedBy(new URL(specifier.replace(/\.js$/, '.ts'), entry), seen);
    else seen.add(specifier);
  }
  return seen;
}

describe('what the entry points load', () => {
  test('the main entry loads no zod', () => {
    const loaded = loadedBy(new URL('./index.ts', import.meta.url));
    expect([...loaded].some((name) => name.endsWith('/contract/parse-record.ts'))).toBe(true);
    expect([...loaded]).not.toContain('zod');
  });

  test('the schema entry loads it', () => {
    expect([...loadedBy(new URL('./schema.ts', import.meta.url))]).toContain('zod');
  });
});
