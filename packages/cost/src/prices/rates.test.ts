import { describe, expect, it } from 'vitest';
import { chargeOf, type TokenCounts } from './rates.js';

const tokens = (counts: Partial<TokenCounts>): TokenCounts => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...counts,
});

describe('chargeOf', () => {
  it('charges each token once: those of a cache are a part of the input, reasoning is one of the output', () => {
    const rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const counts = tokens({
      input: 1_000_000,
      cacheRead: 600_000,
      cacheWrite: 100_000,
      output: 10_000,
      reasoning: 9_000,
    });
    // 300,000 × 3 + 600,000 × 0.3 + 100,000 × 3.75 = 900,000 + 180,000 + 375,000; 10,000 × 15.
    expect(chargeOf(counts, rates)).toEqual({ input: 1.455, output: 0.15, total: 1.605, isComplete: true });
  });

  it('takes input or output for a part without a rate, and says so', () => {
    const counts = tokens({ input: 10, cacheRead: 5, output: 0 });
    expect(chargeOf(counts, { input: 1, output: 1 })).toMatchObject({ input: 0.00001, isComplete: false });
    expect(chargeOf(tokens({ output: 10, reasoning: 4 }), { input: 1, output: 2 })).toMatchObject({
      output: 0.00002,
      isComplete: true,
    });
    expect(chargeOf(tokens({ output: 10, reasoning: 4 }), { input: 1, output: 2, reasoning: 3 })?.output).toBe(
      0.000024,
    );
  });

  it('takes the tier of the whole input for all tokens, above its start', () => {
    const rates = {
      input: {
        base: 1,
        tiers: [
          { start: 100, price: 2 },
          { start: 200, price: 4 },
        ],
      },
      output: { base: 10, tiers: [{ start: 100, price: 20 }] },
    };
    const usd = (input: number) => chargeOf(tokens({ input, output: 1 }), rates)?.total;
    expect([usd(100), usd(101), usd(200), usd(201)]).toEqual([0.00011, 0.000222, 0.00042, 0.000824]);
  });

  it('adds what a request costs to the total alone', () => {
    expect(chargeOf(tokens({ input: 1, output: 1 }), { input: 1, output: 1, request: 0.005 })).toMatchObject({
      input: 0.000001,
      output: 0.000001,
      total: 0.005002,
    });
  });

  it('knows nothing where a rate is missing that is needed, or parts are more than the whole', () => {
    expect(chargeOf(tokens({ input: 1, output: 1 }), { input: 1, output: undefined })).toBeUndefined();
    expect(chargeOf(tokens({ input: 1 }), { input: 1, output: undefined })?.total).toBe(0.000001);
    const rates = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
    expect(chargeOf(tokens({ input: 10, cacheRead: 6, cacheWrite: 5 }), rates)).toBeUndefined();
    expect(chargeOf(tokens({ output: 10, reasoning: 11 }), rates)).toBeUndefined();
  });

  it('has no noise of binary fractions', () => {
    expect(chargeOf(tokens({ input: 1000, output: 100 }), { input: 1.25, output: 10 })?.total).toBe(0.00225);
  });
});
