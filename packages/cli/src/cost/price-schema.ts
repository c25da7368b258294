import type { PriceEntry } from '@hermes-observer/cost';
import * as z from 'zod';

const name = z.string('must be a name').trim().min(1, 'must be a name, not empty');
const usd = z.number('must be a number, in USD').min(0, 'must be 0 or more');

const rates = { input: usd, output: usd, cache_read: usd.optional(), cache_write: usd.optional() };

/** Prices of one's own as a file has them: USD per million tokens, by patterns of names. */
export const pricesSchema = z
  .array(
    z.strictObject({
      provider: name.optional(),
      model: name,
      ...rates,
      request: usd.optional(),
      tiers: z
        .array(
          z.strictObject({
            above: z.number('must be a number of tokens').min(0, 'must be 0 or more'),
            input: usd.optional(),
            output: usd.optional(),
            cache_read: usd.optional(),
            cache_write: usd.optional(),
          }),
          'must be a list',
        )
        .optional(),
    }),
    'must be a list of prices',
  )
  .max(10_000, 'must be 10000 prices at most');

/** Names that a price or one of its tiers may have. */
export const PRICE_FIELDS: readonly string[] = [
  'provider',
  'model',
  'input',
  'output',
  'cache_read',
  'cache_write',
  'request',
  'tiers',
  'above',
];

export type FilePrices = z.output<typeof pricesSchema>;

/** The setting `cost`: `true`, or a map, which means that it is on. */
export const costSchema = z
  .preprocess(
    (value) => SWITCH.get(value) ?? value,
    z.strictObject(
      {
        off: z.literal(true).optional(),
        list: z.enum(['genai-prices', 'none'], 'must be one of genai-prices, none').default('genai-prices'),
        prices: pricesSchema.default([]),
      },
      'must be true or false, or a map with prices',
    ),
  )
  .transform(({ off, ...rest }) => (off === true ? (false as const) : rest));

export type CostSetting = z.output<typeof costSchema>;

const SWITCH: ReadonlyMap<unknown, object> = new Map([
  ...[true, 'true', '1', 'on'].map((word) => [word, {}] as const),
  ...[false, 'false', '0', 'off'].map((word) => [word, { off: true }] as const),
]);

/** The same as the package takes them. */
export function priceEntries(prices: FilePrices): PriceEntry[] {
  return prices.map(({ cache_read: cacheRead, cache_write: cacheWrite, tiers, ...entry }) => ({
    ...entry,
    cacheRead,
    cacheWrite,
    tiers: tiers?.map(({ cache_read, cache_write, ...tier }) => ({
      ...tier,
      cacheRead: cache_read,
      cacheWrite: cache_write,
    })),
  }));
}
