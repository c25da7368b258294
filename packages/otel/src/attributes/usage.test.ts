import { describe, expect, it } from 'vitest';
import { usageOf } from './usage.js';

function usage(reported: unknown): Record<string, number> {
  return Object.fromEntries(Object.entries(usageOf(reported)).filter(([, count]) => count !== undefined));
}

describe('usage', () => {
  it('has prompt_tokens as its input, which include the cache, and never adds reasoning to the output', () => {
    const reported = {
      prompt_tokens: 950,
      input_tokens: 100,
      output_tokens: 20,
      cache_read_tokens: 800,
      cache_write_tokens: 50,
      reasoning_tokens: 8,
    };
    expect(usage(reported)).toEqual({
      input: 950,
      output: 20,
      cacheRead: 800,
      cacheWrite: 50,
      reasoning: 8,
    });
  });

  it('without prompt_tokens has input + cache read + cache write', () => {
    const parts = { input_tokens: 100, cache_read_tokens: 800, cache_write_tokens: 50 };
    expect(usage(parts).input).toBe(950);
    expect(usage({ ...parts, prompt_tokens: null }).input).toBe(950);
    expect(usage({ input_tokens: 100 }).input).toBe(100);
    expect(usage({ input_tokens: 100, cache_read_tokens: 'many' }).input).toBe(100);
  });

  it('is absent, not 0, where the provider sent none', () => {
    expect(usage({ output_tokens: 3 })).toEqual({ output: 3 });
    expect(usage({ cache_read_tokens: 5 })).toEqual({ cacheRead: 5 });
  });

  it('keeps a 0 that was sent', () =>
    expect(usage({ prompt_tokens: 0, output_tokens: 0 })).toEqual({ input: 0, output: 0 }));

  it.each([
    { prompt_tokens: -1 },
    { prompt_tokens: 1.5 },
    { prompt_tokens: '9' },
    { prompt_tokens: 2 ** 53 },
    { prompt_tokens: Number.NaN },
  ])('takes no number that is no count: %j', (reported) => expect(usage({ ...reported, input_tokens: 3 })).toEqual({}));

  it('takes no sum beyond what a number holds', () => {
    expect(usage({ input_tokens: Number.MAX_SAFE_INTEGER, cache_read_tokens: 1 }).input).toBeUndefined();
  });

  it.each([undefined, null, 'x', 7, []])('is nothing for %j', (reported) => expect(usage(reported)).toEqual({}));
});
