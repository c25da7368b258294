import { describe, expect, it } from 'vitest';
import { usageOfShape } from './provider-shapes.test-support.js';
import { costDetails, usageDetails } from './usage-details.js';

const NONE = { input: undefined, output: undefined, cacheRead: undefined, cacheWrite: undefined, reasoning: undefined };
const parsed = (text: string | undefined) =>
  text === undefined ? undefined : (JSON.parse(text) as Record<string, number>);

/** What Langfuse reckons with: every part but the total. */
const sumOfParts = (details: Record<string, number>) =>
  Object.entries(details).reduce((sum, [name, value]) => (name === 'total' ? sum : sum + value), 0);

describe('tokens for Langfuse', () => {
  it.each([
    // OpenAI: 1555 prompt tokens of which 1344 were cached, 19 of which 12 were reasoning.
    ['openai', { input: 211, input_cached_tokens: 1344, output: 7, output_reasoning_tokens: 12, total: 1574 }],
    // Anthropic: 50 + 2000 read + 1000 written = 3050 in; 100 out.
    ['anthropic', { input: 50, input_cached_tokens: 2000, input_cache_creation: 1000, output: 100, total: 3150 }],
    // Gemini: 900 prompt tokens of which 300 were cached; 200 candidates and 150 thoughts are 350 out.
    ['gemini', { input: 600, input_cached_tokens: 300, output: 200, output_reasoning_tokens: 150, total: 1250 }],
    ['plain', { input: 12, output: 5, total: 17 }],
  ] as const)('of %s add up to the total of the provider', (shape, wanted) => {
    const details = parsed(usageDetails(usageOfShape(shape)));
    expect(details).toEqual(wanted);
    expect(sumOfParts(details ?? {})).toBe(wanted.total);
  });

  it('are cut where a provider reports parts that are more than the whole', () => {
    const details = parsed(usageDetails({ input: 10, output: 4, cacheRead: 8, cacheWrite: 8, reasoning: 9 }));
    expect(details).toEqual({
      input: 0,
      input_cached_tokens: 8,
      input_cache_creation: 2,
      output: 0,
      output_reasoning_tokens: 4,
      total: 14,
    });
  });

  it('are none where nothing was reported', () => expect(usageDetails(NONE)).toBeUndefined());

  it('are those of one side where the other is not known', () => {
    expect(parsed(usageDetails({ ...NONE, input: 3 }))).toEqual({ input: 3, total: 3 });
  });
});

describe('cost for Langfuse', () => {
  it('is what the span says, and nothing without it', () => {
    expect(parsed(costDetails({ total: 0.5, input: 0.2, output: 0.3 }))).toEqual({
      input: 0.2,
      output: 0.3,
      total: 0.5,
    });
    expect(parsed(costDetails({ total: 0, input: undefined, output: undefined }))).toEqual({ total: 0 });
    expect(costDetails({ total: undefined, input: 0.2, output: 0.3 })).toBeUndefined();
  });
});
