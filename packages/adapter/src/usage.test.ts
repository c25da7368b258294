import { describe, expect, it } from 'vitest';
import { usageOf } from './usage.js';

const WHOLE = {
  prompt_tokens: 100,
  input_tokens: 30,
  output_tokens: 20,
  cache_read_tokens: 64,
  reasoning_tokens: 8,
  total_tokens: 120,
};
const WRITTEN = { ...WHOLE, cache_write_tokens: 6 };

describe('usage', () => {
  it.each<[string, object, object]>([
    [
      'a language model of the AI SDK',
      {
        inputTokens: { total: 100, noCache: 30, cacheRead: 64, cacheWrite: 6 },
        outputTokens: { total: 20, text: 12, reasoning: 8 },
      },
      WRITTEN,
    ],
    [
      'the AI SDK 7',
      {
        inputTokens: 100,
        inputTokenDetails: { noCacheTokens: 30, cacheReadTokens: 64, cacheWriteTokens: 6 },
        outputTokens: 20,
        outputTokenDetails: { textTokens: 12, reasoningTokens: 8 },
        totalTokens: 120,
      },
      WRITTEN,
    ],
    [
      'the AI SDK 5 and 6',
      { inputTokens: 100, outputTokens: 20, totalTokens: 120, cachedInputTokens: 64, reasoningTokens: 8 },
      { ...WHOLE, input_tokens: 36 },
    ],
    [
      'OpenAI Agents: a list with one for each request',
      {
        requests: 2,
        inputTokens: 100,
        outputTokens: 20,
        inputTokensDetails: [{ cached_tokens: 60 }, { cached_tokens: 4 }],
        outputTokensDetails: [{ reasoning_tokens: 8 }],
      },
      { ...WHOLE, input_tokens: 36 },
    ],
    [
      'LangChain',
      {
        input_tokens: 100,
        output_tokens: 20,
        total_tokens: 120,
        input_token_details: { cache_read: 64, cache_creation: 6 },
        output_token_details: { reasoning: 8 },
      },
      WRITTEN,
    ],
    [
      'Anthropic, where the cache comes on top',
      { input_tokens: 30, output_tokens: 20, cache_read_input_tokens: 64, cache_creation_input_tokens: 6 },
      {
        prompt_tokens: 100,
        input_tokens: 30,
        output_tokens: 20,
        cache_read_tokens: 64,
        cache_write_tokens: 6,
        total_tokens: 120,
      },
    ],
    [
      'OpenAI',
      { prompt_tokens: 7, completion_tokens: 2 },
      { prompt_tokens: 7, input_tokens: 7, output_tokens: 2, total_tokens: 9 },
    ],
  ])('of %s', (_, usage, expected) => {
    expect(usageOf(usage)).toEqual(expected);
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { inputTokens: undefined, outputTokens: undefined },
    { inputTokens: { total: -1 } },
  ])('of %j is none', (usage) => {
    expect(usageOf(usage)).toBeUndefined();
  });
});
