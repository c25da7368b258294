import { calcPrice, findProvider, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import { isNamedExactly } from './model-name.js';
import type { AskedModel, FoundPrice, PriceSource } from './price-source.js';
import { providerIdOf } from './provider-names.js';
import type { Rate, Rates } from './rates.js';

/** Release whose prices these are; a test holds it to the one that is installed. */
export const GENAI_PRICES_VERSION = '0.1.8';

const NOTHING = { input_tokens: 0, output_tokens: 0 };

interface FoundProvider {
  readonly id: string;
  readonly isCertain: boolean;
}

/**
 * List prices of the package `@pydantic/genai-prices`, which it brings along: nothing is looked up in the network. A model at
 * a provider that it does not have is not found, even where another provider has one of that name.
 */
export class GenaiPrices implements PriceSource {
  find(asked: AskedModel): FoundPrice | undefined {
    const provider = providerOf(asked);
    if (provider === undefined) return undefined;
    const { responseModel, requestModel } = asked;
    return (
      (responseModel === undefined ? undefined : priceOf(responseModel, provider)) ??
      // Some answer with a name of their own for what was asked.
      (requestModel === undefined
        ? undefined
        : priceOf(requestModel, { ...provider, isCertain: provider.isCertain && responseModel === undefined }))
    );
  }
}

/** The host that was asked tells most; then the provider's name; where there is neither, the model's. */
function providerOf({ provider, host, responseModel, requestModel }: AskedModel): FoundProvider | undefined {
  const byHost = host === undefined ? undefined : providerAt(host);
  if (byHost !== undefined) return { id: byHost.id, isCertain: true };
  if (provider !== undefined) {
    const id = providerIdOf(provider);
    const found = findProvider({ providerId: id });
    return found === undefined ? undefined : { id: found.id, isCertain: found.id === id && host === undefined };
  }
  const model = responseModel ?? requestModel;
  const byModel = host === undefined && model !== undefined ? findProvider({ modelId: model }) : undefined;
  return byModel === undefined ? undefined : { id: byModel.id, isCertain: false };
}

/** The patterns of the package are open at their end. */
function providerAt(host: string): Provider | undefined {
  const url = `https://${host}/`;
  const found = findProvider({ providerApiUrl: url });
  const match = found === undefined ? undefined : new RegExp(`^(?:${found.api_pattern})`).exec(url)?.[0];
  return match !== undefined && (match.endsWith('/') || url[match.length] === '/') ? found : undefined;
}

function priceOf(name: string, provider: FoundProvider): FoundPrice | undefined {
  const model = name.replace(/^models\//, '');
  const found = calcPrice(NOTHING, model, { providerId: provider.id });
  if (found === null || !isNamedExactly(model, found.model)) return undefined;
  const { provider: of, model: known } = found;
  const first = ratesOf(found.model_price);
  // A model without any price is free, or part of a plan, or its price is not known: the package does not say which.
  if (first.input === undefined && first.output === undefined) return undefined;
  const alone: Provider = { id: of.id, name: of.name, api_pattern: of.api_pattern, models: [known] };
  const ofPrices = new WeakMap<ModelPrice, Rates>([[found.model_price, first]]);
  return {
    source: 'genai-prices',
    version: GENAI_PRICES_VERSION,
    // Some providers are listed with the models of another, at what these cost there.
    isCertain: provider.isCertain && of.models.includes(known),
    hasSeveralWriteRates: 'cache_write_1h_mtok' in found.model_price,
    ratesAt: (millis) => {
      if (!Array.isArray(known.prices)) return first;
      const prices = calcPrice(NOTHING, model, { provider: alone, timestamp: new Date(millis) })?.model_price;
      if (prices === undefined) return first;
      const rates = ofPrices.get(prices) ?? ratesOf(prices);
      ofPrices.set(prices, rates);
      return rates;
    },
  };
}

function ratesOf(prices: ModelPrice): Rates {
  const request = prices.requests_kcount;
  return {
    input: prices.input_mtok as Rate | undefined,
    output: prices.output_mtok as Rate | undefined,
    cacheRead: prices.cache_read_mtok as Rate | undefined,
    cacheWrite: prices.cache_write_mtok as Rate | undefined,
    reasoning: prices.output_reasoning_mtok as Rate | undefined,
    request: typeof request === 'number' ? request / 1000 : undefined,
  };
}
