import { describe, expect, it } from 'vitest';
import { CostSum, formatUsd } from './cost.js';

const texts = (...spans: [status: string, usd?: number][]) => {
  const sum = new CostSum();
  for (const [status, usd] of spans) {
    const one = new CostSum();
    one.add({ 'hermes.cost.status': status, ...(usd !== undefined && { 'hermes.cost.usd': usd }) });
    sum.include(one);
  }
  return sum.parts().map(({ text }) => text);
};

describe('costs of several requests', () => {
  it('are a sum, which says when something in it is an estimate or is missing', () => {
    expect(texts()).toEqual([]);
    expect(texts(['exact', 0.001], ['exact', 0.0005])).toEqual(['$0.0015']);
    expect(texts(['exact', 0.001], ['estimated', 1])).toEqual(['about $1.001']);
    expect(texts(['unknown'], ['exact', 2])).toEqual(['$2.00', 'cost of 1 request unknown']);
    expect(texts(['unknown'], ['unknown'])).toEqual(['cost of 2 requests unknown']);
    expect(texts(['exact', 0])).toEqual(['$0']);
  });

  it('leave out spans without a status', () => {
    const sum = new CostSum();
    sum.add({ 'gen_ai.operation.name': 'chat' });
    expect(sum.parts()).toEqual([]);
  });

  it.each([
    [0.000000075, '$0.000000075'],
    [0.0012345, '$0.001234'],
    [0.1, '$0.10'],
    [1.2345, '$1.234'],
    [12, '$12.00'],
    [1234.567, '$1234.57'],
    [1e-13, '$0.00'],
  ])('are shown with the digits that count: %d', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });
});
