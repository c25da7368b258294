import { describe, expect, it } from 'vitest';
import { type PriceEntry, PriceTable } from './price-table.js';

const asked = (given: object) => ({
  provider: undefined,
  host: undefined,
  requestModel: undefined,
  responseModel: undefined,
  ...given,
});
const free = { input: 0, output: 0 };

describe('a table of own prices', () => {
  it('takes the first entry that fits, with * for any text and without regard to case', () => {
    const table = new PriceTable([
      { provider: 'ollama', model: '*', ...free },
      { model: 'Acme-*-large', input: 1, output: 2 },
      { model: 'acme-*', input: 3, output: 4 },
    ]);
    const input = (given: object) => table.find(asked(given))?.ratesAt(0).input;
    expect(input({ provider: 'ollama', requestModel: 'acme-1' })).toBe(0);
    expect(input({ provider: 'other', requestModel: 'acme-2-large' })).toBe(1);
    expect(input({ requestModel: 'acme-2-largest' })).toBe(3);
    expect(input({ requestModel: 'my-acme-2' })).toBeUndefined();
    expect(input({ requestModel: 'acme.2' })).toBeUndefined();
    expect(input({ provider: 'ollama' })).toBeUndefined();
  });

  it('looks for the model that answered before the one that was asked for', () => {
    const table = new PriceTable([
      { model: 'alias', input: 1, output: 1 },
      { model: 'real', input: 2, output: 2 },
    ]);
    expect(table.find(asked({ requestModel: 'alias', responseModel: 'real' }))?.ratesAt(0).input).toBe(2);
    expect(table.find(asked({ requestModel: 'alias', responseModel: 'other' }))?.ratesAt(0).input).toBe(1);
  });

  it('keeps in a tier what the tier does not change', () => {
    const table = new PriceTable([
      {
        model: 'm',
        input: 1,
        output: 10,
        cacheRead: 0.1,
        tiers: [
          { above: 200, output: 30 },
          { above: 100, input: 2 },
        ],
      },
    ]);
    expect(table.find(asked({ requestModel: 'm' }))?.ratesAt(0)).toMatchObject({
      input: {
        base: 1,
        tiers: [
          { start: 100, price: 2 },
          { start: 200, price: 2 },
        ],
      },
      output: {
        base: 10,
        tiers: [
          { start: 100, price: 10 },
          { start: 200, price: 30 },
        ],
      },
      cacheRead: {
        base: 0.1,
        tiers: [
          { start: 100, price: 0.1 },
          { start: 200, price: 0.1 },
        ],
      },
      cacheWrite: undefined,
    });
  });

  it('has a version that changes with it', () => {
    const version = (entry: PriceEntry) => new PriceTable([entry]).find(asked({ requestModel: 'm' }))?.version;
    expect(version({ model: 'm', ...free })).toMatch(/^[0-9a-f]{12}$/);
    expect(version({ model: 'm', ...free })).toBe(version({ model: 'm', ...free }));
    expect(version({ model: 'm', input: 0, output: 1 })).not.toBe(version({ model: 'm', ...free }));
  });

  it.each([
    [[1], 'prices[0] must be an object.'],
    [[{ model: 'm', ...free }, { ...free }], 'prices[1] needs a model, such as gpt-5*.'],
    [[{ model: 'm', input: 1 }], 'prices[0] needs input and output, in USD per million tokens.'],
    [[{ model: 'm', input: -1, output: 1 }], 'prices[0] needs input and output, in USD per million tokens.'],
    [[{ model: 'm', ...free, cacheRead: '1' }], 'prices[0] has a cacheRead that is no number from 0.'],
    [[{ model: 'm', ...free, inptu: 1 }], 'prices[0] has no inptu; there are provider, model, tiers, input, output'],
    [[{ model: 'm', ...free, tiers: [{ input: 1 }] }], 'prices[0] has a tier without above.'],
    [[{ model: 'm', ...free, tiers: [{ above: 1, x: 1 }] }], 'prices[0] has a tier with a x that it cannot have.'],
    [[{ model: 'm', ...free, tiers: [{ above: 1, cacheRead: 1 }] }], 'has a tier with cacheRead, and none below it.'],
    [{}, 'prices must be a list.'],
  ])('refuses %j', (entries, message) => {
    expect(() => new PriceTable(entries as unknown as PriceEntry[])).toThrow(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(message) }),
    );
  });
});
