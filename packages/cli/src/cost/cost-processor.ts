import type { SpanProcessor } from '@hermes-observer/otel';
import type { CostSetting } from './price-schema.js';

/**
 * What puts costs on spans; the list of prices is loaded only where it is asked for.
 * @throws ObserverError `HO_OPTION` for a price that is wrong.
 */
export async function costProcessor({ prices, list }: Exclude<CostSetting, false>): Promise<SpanProcessor> {
  const { CostSpanProcessor } = await import('@hermes-observer/cost');
  const { priceEntries } = await import('./price-schema.js');
  return new CostSpanProcessor({ prices: priceEntries(prices), list });
}

/** The same of the options of a command that reads recordings: none, where it does not ask for costs. */
export async function costProcessors(cost = false, prices?: string): Promise<SpanProcessor[]> {
  if (!cost && prices === undefined) return [];
  const own = prices === undefined ? [] : (await import('./price-file.js')).readPrices(prices);
  return [await costProcessor({ prices: own, list: 'genai-prices' })];
}
