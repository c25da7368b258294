import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { GENAI_PRICES_VERSION, GenaiPrices } from './genai-prices.js';
import type { AskedModel } from './price-source.js';
import { chargeOf } from './rates.js';

const list = new GenaiPrices();
const find = (given: Partial<AskedModel>) =>
  list.find({ provider: undefined, host: undefined, requestModel: undefined, responseModel: undefined, ...given });
const certainty = (given: Partial<AskedModel>) => find(given)?.isCertain;

describe('the list of genai-prices', () => {
  it('is of the version that is told', () => {
    const entry = createRequire(import.meta.url).resolve('@pydantic/genai-prices');
    const { version } = JSON.parse(readFileSync(new URL('../package.json', `file://${entry}`), 'utf8'));
    expect(GENAI_PRICES_VERSION).toBe(version);
  });

  it('gives what the package itself computes, for every model of many providers', () => {
    let compared = 0;
    const ids = [
      'openai',
      'anthropic',
      'google',
      'aws',
      'azure',
      'openrouter',
      'deepseek',
      'x-ai',
      'mistral',
      'groq',
      'moonshotai',
      'perplexity',
      'together',
      'fireworks',
    ];
    const startMillis = Date.UTC(2026, 10, 1, 18, 0);
    for (const id of ids) {
      for (const { id: model } of findProvider({ providerId: id })?.models ?? []) {
        const found = find({ provider: id, requestModel: model });
        for (const input of [900, 150_000, 1_000_000]) {
          const tokens = { input, output: 700, cacheRead: 500, cacheWrite: 300, reasoning: 0 };
          const usage = { input_tokens: input, output_tokens: 700, cache_read_tokens: 500, cache_write_tokens: 300 };
          const theirs = calcPrice(usage, model, { providerId: id, timestamp: new Date(startMillis) });
          const ours = found === undefined ? undefined : chargeOf(tokens, found.ratesAt(startMillis));
          if (ours === undefined) continue;
          expect([model, ours.input, ours.output]).toEqual([
            model,
            expect.closeTo(theirs?.input_price ?? Number.NaN, 10),
            expect.closeTo(theirs?.output_price ?? Number.NaN, 10),
          ]);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(2000);
  });

  it('has a price by the time of the request', () => {
    const dated = findProvider({ providerId: 'anthropic' })?.models.find(({ prices }) => Array.isArray(prices));
    const price = find({ provider: 'anthropic', requestModel: dated?.id ?? '' });
    const constraint = (dated?.prices as { constraint?: { start_date: string } }[] | undefined)?.[1]?.constraint;
    const at = Date.parse(`${constraint?.start_date}T00:00:00Z`);
    expect(price?.ratesAt(at - 1)).not.toEqual(price?.ratesAt(at));
    expect(price?.ratesAt(at)).toBe(price?.ratesAt(at + 1));
  });

  it.each([
    [{ provider: 'openai', requestModel: 'gpt-5' }, true],
    [{ provider: 'openai', requestModel: 'gpt-5', responseModel: 'gpt-5-2025-08-07' }, true],
    [{ provider: 'anthropic', requestModel: 'claude-sonnet-4-5-20250929' }, true],
    [{ provider: 'gcp.gemini', requestModel: 'models/gemini-2.5-pro' }, true],
    [{ provider: 'gcp.vertex_ai', requestModel: 'claude-sonnet-4@20250514' }, true],
    [{ provider: 'aws.bedrock', requestModel: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0' }, true],
    [{ provider: 'custom', host: 'openrouter.ai', requestModel: 'anthropic/claude-sonnet-4.5' }, true],
    // What was asked for has a price, what answered has none.
    [{ provider: 'openai', requestModel: 'gpt-5', responseModel: 'something' }, false],
    // Neither a provider nor a host: the model's name alone.
    [{ requestModel: 'gpt-5' }, false],
    // A host that is not the provider's own, and a provider that is only called like one.
    [{ provider: 'openai', host: '127.0.0.1', requestModel: 'gpt-5' }, false],
    [{ provider: 'openai-codex', requestModel: 'gpt-5' }, false],
    // Listed with the models of another.
    [{ provider: 'azure.ai.openai', requestModel: 'gpt-5' }, false],
  ])('knows %j, and whether for certain', (given, isCertain) => {
    expect(certainty(given)).toBe(isCertain);
  });

  it.each([
    { provider: 'openai', requestModel: 'mock-large' },
    { provider: 'openai', requestModel: 'gpt-5-of-mine' },
    { provider: 'anthropic', requestModel: 'claude-mock-large' },
    { provider: 'anthropic', requestModel: 'claude-opus-4-5-turbo' },
    { provider: 'custom', requestModel: 'gpt-5' },
    { provider: 'ollama', host: 'localhost', requestModel: 'gpt-oss:20b' },
    { host: '127.0.0.1', requestModel: 'gpt-5' },
    { provider: 'custom', host: 'api.openai.com.example.org', requestModel: 'gpt-5' },
    { provider: 'github-copilot', requestModel: 'gpt-4o' },
    { provider: 'openai' },
    {},
  ])('has no price for %j', (given) => {
    expect(find(given)).toBeUndefined();
  });
});
