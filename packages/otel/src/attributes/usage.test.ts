import { describe, expect, it } from 'vitest';
import { putUsage } from './usage.js';

function usage(reported: unknown): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  putUsage(
    { setAttribute: (name: string, value: unknown) => (set[name.replace('gen_ai.usage.', '')] = value) },
    reported,
  );
  return set;
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
      input_tokens: 950,
      output_tokens: 20,
      'cache_read.input_tokens': 800,
      'cache_creation.input_tokens': 50,
      'reasoning.output_tokens': 8,
    });
  });

  it('without prompt_tokens has input + cache read + cache write', () => {
    const parts = { input_tokens: 100, cache_read_tokens: 800, cache_write_tokens: 50 };
    expect(usage(parts).input_tokens).toBe(950);
    expect(usage({ ...parts, prompt_tokens: null }).input_tokens).toBe(950);
    expect(usage({ input_tokens: 100 }).input_tokens).toBe(100);
    expect(usage({ input_tokens: 100, cache_read_tokens: 'many' }).input_tokens).toBe(100);
  });

  it('is absent, not 0, where the provider sent none', () => {
    expect(usage({ output_tokens: 3 })).toEqual({ output_tokens: 3 });
    expect(usage({ cache_read_tokens: 5 })).toEqual({ 'cache_read.input_tokens': 5 });
  });

  it('keeps a 0 that was sent', () =>
    expect(usage({ prompt_tokens: 0, output_tokens: 0 })).toEqual({ input_tokens: 0, output_tokens: 0 }));

  it.each([
    { prompt_tokens: -1 },
    { prompt_tokens: 1.5 },
    { prompt_tokens: '9' },
    { prompt_tokens: 2 ** 53 },
    { prompt_tokens: Number.NaN },
  ])('takes no number that is no count: %j', (reported) => expect(usage({ ...reported, input_tokens: 3 })).toEqual({}));

  it('takes no sum beyond what a number holds', () => {
    expect(usage({ input_tokens: Number.MAX_SAFE_INTEGER, cache_read_tokens: 1 }).input_tokens).toBeUndefined();
  });

  it.each([undefined, null, 'x', 7, []])('is nothing for %j', (reported) => expect(usage(reported)).toEqual({}));
});
