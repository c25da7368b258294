import { expect, it } from 'vitest';
import { costText, formatUsd } from './cost.js';

it('says what is an estimate, and what is not in it', () => {
  expect(costText({ usd: 0.0015, isEstimated: false, unknown: 0 })).toBe('$0.0015');
  expect(costText({ usd: 1.5, isEstimated: true, unknown: 2 })).toBe('about $1.50, cost of 2 requests unknown');
  expect(costText({ usd: null, isEstimated: false, unknown: 1 })).toBe('cost of 1 request unknown');
});

it('shows the digits that count', () => {
  expect([0, 7.5e-8, 0.0012345, 0.1, 12, 1234.567].map(formatUsd)).toEqual([
    '$0',
    '$0.000000075',
    '$0.001234',
    '$0.10',
    '$12.00',
    '$1234.57',
  ]);
});
