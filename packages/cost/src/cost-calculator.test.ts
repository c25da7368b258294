import { describe, expect, it } from 'vitest';
import { type ChatRequest, CostCalculator } from './cost-calculator.js';

const request = (given: Partial<ChatRequest> & { counts?: object } = {}): ChatRequest => ({
  provider: 'anthropic',
  requestModel: 'claude-sonnet-4-5',
  startMillis: Date.UTC(2026, 10, 1),
  tokens: { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...given.counts },
  ...given,
});

describe('CostCalculator', () => {
  it('gives the price of the list, with its version', () => {
    // 1000 × 3 / 1e6 and 100 × 15 / 1e6.
    expect(new CostCalculator().costOf(request())).toEqual({
      status: 'exact',
      usd: 0.0045,
      inputUsd: 0.003,
      outputUsd: 0.0015,
      source: 'genai-prices',
      version: '0.1.8',
    });
  });

  it('says that it is an estimate where something was assumed', () => {
    const status = (given: Parameters<typeof request>[0]) => new CostCalculator().costOf(request(given)).status;
    expect(status({ counts: { cacheRead: 500 } })).toBe('exact');
    // Writes for five minutes and for an hour have two prices.
    expect(status({ counts: { cacheWrite: 500 } })).toBe('estimated');
    expect(status({ host: 'proxy.example.org' })).toBe('estimated');
    // There is no price for what was read from a cache.
    expect(status({ provider: 'openai', requestModel: 'gpt-4', counts: { cacheRead: 10 } })).toBe('estimated');
  });

  it('knows nothing of an unknown model, of a request without counts, and of counts that contradict each other', () => {
    const costs = new CostCalculator();
    for (const given of [
      { requestModel: 'mock-large' },
      { provider: 'custom' },
      { tokens: undefined },
      { counts: { cacheRead: 2000 } },
      { counts: { reasoning: 101 } },
    ]) {
      expect(costs.costOf(request(given))).toEqual({ status: 'unknown' });
    }
  });

  it('takes own prices before the list, or without it', () => {
    const prices = [{ model: 'claude-*', input: 1, output: 2, cacheRead: 0, cacheWrite: 1 }];
    expect(new CostCalculator({ prices }).costOf(request({ counts: { cacheWrite: 10 } }))).toMatchObject({
      status: 'exact',
      usd: 0.0012,
      source: 'table',
    });
    const gpt = request({ provider: 'openai', requestModel: 'gpt-5' });
    expect(new CostCalculator({ prices }).costOf(gpt)).toMatchObject({ source: 'genai-prices' });
    expect(new CostCalculator({ prices, list: 'none' }).costOf(gpt)).toEqual({ status: 'unknown' });
  });

  it('remembers a bounded number of models', () => {
    const costs = new CostCalculator();
    for (let i = 0; i < 3000; i++) costs.costOf(request({ requestModel: `model-${i}` }));
    expect(costs.costOf(request())).toMatchObject({ usd: 0.0045 });
    expect(costs.costOf(request())).toMatchObject({ usd: 0.0045 });
  });
});
