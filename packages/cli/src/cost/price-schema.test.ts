import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { costProcessors } from './cost-processor.js';
import { readPrices } from './price-file.js';
import { costSchema, priceEntries } from './price-schema.js';

const folder = mkdtempSync(join(tmpdir(), 'prices-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (text: string) => {
  const path = join(folder, 'prices.yaml');
  writeFileSync(path, text);
  return path;
};

describe('the setting cost', () => {
  it('is a switch, or a map that turns it on', () => {
    for (const on of [true, 'true', 'on', '1', {}]) {
      expect(costSchema.parse(on)).toEqual({ list: 'genai-prices', prices: [] });
    }
    for (const off of [false, 'off', '0']) expect(costSchema.parse(off)).toBe(false);
    expect(costSchema.parse({ list: 'none', prices: [{ model: 'm', input: 1, output: 2 }] })).toEqual({
      list: 'none',
      prices: [{ model: 'm', input: 1, output: 2 }],
    });
  });

  it.each([
    ['perhaps', [], 'must be true or false, or a map with prices'],
    [{ list: 'mine' }, ['list'], 'must be one of genai-prices, none'],
    [{ prices: {} }, ['prices'], 'must be a list of prices'],
    [{ prices: [{ model: '', input: 1, output: 1 }] }, ['prices', 0, 'model'], 'must be a name, not empty'],
    [{ prices: [{ model: 'm', input: -1, output: 1 }] }, ['prices', 0, 'input'], 'must be 0 or more'],
    [{ prices: [{ model: 'm', input: 1 }] }, ['prices', 0, 'output'], 'must be a number, in USD'],
  ])('refuses %j', (value, path, message) => {
    expect(costSchema.safeParse(value).error?.issues[0]).toMatchObject({ path, message });
  });
});

describe('a file of prices', () => {
  const text = `
- provider: acme*
  model: m
  input: 1
  output: 2
  cache_read: 0.1
  cache_write: 1.5
  request: 0.01
  tiers: [{ above: 200000, input: 2, cache_read: 0.2 }]
`;

  it('has the fields of the package in the spelling of files', () => {
    expect(priceEntries(readPrices(file(text)))).toEqual([
      {
        provider: 'acme*',
        model: 'm',
        input: 1,
        output: 2,
        cacheRead: 0.1,
        cacheWrite: 1.5,
        request: 0.01,
        tiers: [{ above: 200_000, input: 2, cacheRead: 0.2 }],
      },
    ]);
    expect(readPrices(file('[{"model": "m", "input": 1, "output": 2}]'))).toHaveLength(1);
  });

  it('is asked for by its name alone', async () => {
    expect(await costProcessors()).toEqual([]);
    expect(await costProcessors(true)).toHaveLength(1);
    expect(await costProcessors(undefined, file(text))).toHaveLength(1);
  });

  it.each([
    ['- model: m\n  input: 1\n', 'prices.yaml: prices[0].output: must be a number, in USD'],
    [
      '- {model: m, input: 1, output: 1, cacheRead: 1}',
      'prices.yaml: prices[0]: has no setting cacheRead; there are provider, model, ',
    ],
    ['- {model: m, inpt: 1, output: 1}', 'prices.yaml: prices[0]: has no setting inpt; there are '],
    ['cost: { prices: [] }', 'prices.yaml: prices: must be a list of prices, without a map around it'],
    ['- {model: m', 'prices.yaml: '],
  ])('says what is wrong in %j', (wrong, message) => {
    expect(() => readPrices(file(wrong))).toThrow(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(message) }),
    );
  });

  it('is refused where the package refuses a price', async () => {
    const tier = file('- {model: m, input: 1, output: 1, tiers: [{ above: 1, cache_read: 1 }]}');
    await expect(costProcessors(true, tier)).rejects.toMatchObject({ code: 'HO_OPTION' });
    await expect(costProcessors(true, join(folder, 'none'))).rejects.toMatchObject({ code: 'HO_OPTION' });
  });
});
