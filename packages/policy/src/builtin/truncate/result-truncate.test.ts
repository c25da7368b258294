import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerHook } from '../../hooks/registered-hook.js';
import { contextOf } from '../hook-context.test-support.js';
import { cutText } from './cut-text.js';
import { ResultTruncate } from './result-truncate.js';

function cut(result: unknown, maxCharacters?: number): unknown {
  const hook = new ResultTruncate(maxCharacters === undefined ? {} : { maxCharacters });
  registerHook(hook, 1);
  const answer = hook.execute(contextOf({ event: 'PostToolUse', result })) as { modifiedResult?: unknown } | undefined;
  return answer === undefined ? result : answer.modifiedResult;
}

describe('ResultTruncate', () => {
  it('leaves what is short enough as it is', () => {
    for (const value of ['x'.repeat(8000), { a: 'x'.repeat(7000) }, [1], 5, null, undefined, true])
      expect(cut(value)).toBe(value);
  });

  it('takes out the middle of a text, and says how much', () => {
    const text = `begin${'x'.repeat(20_000)}end`;
    const short = cut(text) as string;
    expect(short).toHaveLength(8000);
    expect(short).toMatch(/^begin.*…\[\d+ of 20008 characters left out\]….*end$/s);
    const left = Number(/\[(\d+) of/.exec(short)?.[1]);
    expect(short.replace(/…\[.*\]…/, '')).toHaveLength(20_008 - left);
  });

  it.each([
    ['emoji', '😀'],
    ['families', '👨‍👩‍👧‍👦'],
    ['accents', 'e\u0301'],
    ['flags', '🇩🇪'],
  ])('never cuts inside of a character: %s', (_name, character) => {
    for (let offset = 0; offset < 12; offset++) {
      const short = cut('x'.repeat(offset) + character.repeat(9000)) as string;
      expect(short.length).toBeLessThanOrEqual(8000);
      const [head, tail] = short.split(/…\[.*?\]…/);
      expect(head?.slice(offset).replaceAll(character, '')).toBe('');
      expect(tail?.replaceAll(character, '')).toBe('');
    }
  });

  it('keeps JSON that is a text JSON', () => {
    const result = JSON.stringify({
      status: 'ok',
      rows: Array.from({ length: 5000 }, (_, id) => ({ id, name: `row ${id}` })),
      total: 5000,
    });
    const short = cut(result) as string;
    expect(short.length).toBeLessThanOrEqual(8000);
    const value = JSON.parse(short) as { status: string; total: number; rows: unknown[] };
    expect(value).toMatchObject({ status: 'ok', total: 5000 });
    expect(value.rows[0]).toEqual({ id: 0, name: 'row 0' });
    expect(value.rows.at(-1)).toEqual({ id: 4999, name: 'row 4999' });
    expect(value.rows.find((row) => typeof row === 'string')).toMatch(/^…\[\d+ of 5000 items left out\]…$/);
  });

  it('keeps all keys of an object with one long text', () => {
    const short = cut({ path: '/a', content: 'x'.repeat(50_000), lines: 1 }) as Record<string, unknown>;
    expect(short).toMatchObject({ path: '/a', lines: 1 });
    expect(short.content).toContain('characters left out');
    expect(JSON.stringify(short).length).toBeGreaterThan(3000);
  });

  it('keeps JSON in texts in JSON, as of MCP', () => {
    const inner = JSON.stringify({
      items: Array.from({ length: 2000 }, (_, i) => ({ i, text: 'abc' })),
      next: 'cursor',
    });
    const short = cut({ content: [{ type: 'text', text: inner }], isError: false }) as {
      content: [{ text: string }];
      isError: boolean;
    };
    expect(short.isError).toBe(false);
    expect(JSON.parse(short.content[0].text)).toMatchObject({ next: 'cursor' });
  });

  it('copies what JSON cannot say', () => {
    const cycle: Record<string, unknown> = { text: 'x'.repeat(20_000), big: 1n };
    cycle.self = cycle;
    expect(JSON.stringify(cut(cycle)).length).toBeLessThanOrEqual(8000);
  });

  it('fits, and stays JSON, whatever it is given', () => {
    const long = fc.oneof(
      fc.string({ maxLength: 2000 }),
      fc.string({ unit: 'grapheme', maxLength: 500 }),
      fc.integer(),
      fc.constant(null),
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        long,
        fc.array(tie('node'), { maxLength: 40 }),
        fc.dictionary(fc.string({ maxLength: 300 }), tie('node'), { maxKeys: 40 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, fc.integer({ min: 200, max: 3000 }), (given, max) => {
        const fits = (result: unknown) => (typeof result === 'string' ? result : JSON.stringify(result)).length <= max;
        if (given !== null && typeof given === 'object') {
          expect(fits(cut(given, max))).toBe(true);
          const text = JSON.stringify(given);
          const short = cut(text, max) as string;
          expect(short.length).toBeLessThanOrEqual(max);
          expect(() => JSON.parse(short)).not.toThrow();
        } else if (typeof given === 'string') expect(fits(cut(given, max))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('takes ten megabytes in its stride', () => {
    const began = performance.now();
    cut('x'.repeat(10_000_000));
    cut({ rows: Array.from({ length: 200_000 }, (_, id) => ({ id, name: 'some name' })) });
    cut(`[${'"x",'.repeat(1_000_000)}1]`);
    expect(performance.now() - began).toBeLessThan(15_000);
  }, 60_000);

  it('stops at a bound that makes no sense', () => {
    expect(() => new ResultTruncate({ maxCharacters: 100 })).toThrow('must be 200 at least');
    expect(() => new ResultTruncate({ maxCharacter: 300 } as object)).toThrow('Did you mean `maxCharacters`');
  });
});

it.each([
  ['flags', '🇩🇪'.repeat(500_000)],
  ['flags behind a letter of one', `🇩${'🇩🇪'.repeat(500_000)}`],
  ['one character without an end', `a${'\u0301'.repeat(1_000_000)}`],
  ['joined faces', '👩\u200d👩\u200d'.repeat(200_000)],
])('takes no time for %s', (_, text) => {
  const began = performance.now();
  const cut = cutText(text, 8_000);
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(cut.length).toBeLessThanOrEqual(8_000);
  if (text.startsWith('🇩🇪')) expect(cut).toMatch(/^(🇩🇪)+…\[\d+ of \d+ characters left out\]…(🇩🇪)+$/u);
});
