import fc from 'fast-check';
import { expect, it } from 'vitest';
import { heavinessOf, MOST_CONTAINERS, MOST_LEVELS } from './json-weight.js';

const long = JSON.stringify('x'.repeat(300_000));
const nested = (levels: number) => `[${long},${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}]`;

it('names lines that are deep, or have lists without number', () => {
  expect(heavinessOf(nested(MOST_LEVELS))).toMatch(/levels deep/);
  expect(heavinessOf(nested(MOST_LEVELS - 2))).toBeUndefined();
  expect(heavinessOf(`[${'{},'.repeat(MOST_CONTAINERS)}0]`)).toMatch(/more than 200000 lists/);
  expect(heavinessOf(`[${'{},'.repeat(MOST_CONTAINERS - 1)}0]`)).toBeUndefined();
  expect(heavinessOf('['.repeat(10_000_000))).toMatch(/levels deep/);
});

it('counts nothing that is in a string', () => {
  for (const text of ['['.repeat(300_000), '\\"['.repeat(300_000), '"['.repeat(300_000), '\\'.repeat(300_001)]) {
    expect(heavinessOf(JSON.stringify({ text, last: '\\' }))).toBeUndefined();
  }
  expect(heavinessOf(`"${'['.repeat(300_000)}`)).toBeUndefined();
});

/** Counted on the parsed value. */
function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

it('counts as a parser would', () => {
  const wrapped = fc.tuple(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: MOST_LEVELS - 12, max: MOST_LEVELS + 4 }));
  fc.assert(
    fc.property(wrapped, ([inner, levels]) => {
      const text = `[${long},${'['.repeat(levels)}${JSON.stringify(inner)}${']'.repeat(levels)}]`;
      expect(heavinessOf(text) !== undefined).toBe(1 + levels + levelsOf(inner) > MOST_LEVELS);
    }),
    { numRuns: 60 },
  );
});
