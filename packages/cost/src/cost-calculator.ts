import { GenaiPrices } from './prices/genai-prices.js';
import type { FoundPrice, PriceSource } from './prices/price-source.js';
import { type PriceEntry, PriceTable } from './prices/price-table.js';
import { chargeOf, type TokenCounts } from './prices/rates.js';

export interface CostOptions {
  /** Prices of your own, which go before the list. @default none */
  readonly prices?: readonly PriceEntry[] | undefined;
  /** List for what these do not have; `none` for your own alone. @default 'genai-prices' */
  readonly list?: 'genai-prices' | 'none' | undefined;
}

/** One request to a model, as a chat span tells of it. */
export interface ChatRequest {
  readonly provider?: string | undefined;
  /** Host that was asked, without a port. */
  readonly host?: string | undefined;
  readonly requestModel?: string | undefined;
  readonly responseModel?: string | undefined;
  /** When it started, in milliseconds since 1970: some prices have a date or a time of day. */
  readonly startMillis: number;
  /** `undefined` where the input or the output was not reported. */
  readonly tokens: TokenCounts | undefined;
}

/** In USD. */
export type Cost =
  | { readonly status: 'unknown' }
  | {
      /** `exact`: the listed price of all tokens that were reported. `estimated`: something of it had to be assumed. */
      readonly status: 'exact' | 'estimated';
      readonly usd: number;
      readonly inputUsd: number;
      readonly outputUsd: number;
      readonly source: string;
      readonly version: string;
    };

const UNKNOWN: Cost = { status: 'unknown' };
/** Models that are remembered; names come from outside. */
const MOST_FOUND = 1024;
/** No provider, host or model has a longer name. */
const LONGEST_NAME = 256;
/** The last moment that a `Date` can be. */
const LAST_MILLIS = 8.64e15;

/** What requests cost. The same request always costs the same, whatever the day it is asked about. */
export class CostCalculator {
  readonly #sources: readonly PriceSource[];
  /** By the names of provider, host and models. */
  readonly #found = new Map<string, FoundPrice | undefined>();

  /** @throws ObserverError `HO_OPTION` for a price that is wrong. */
  constructor({ prices = [], list = 'genai-prices' }: CostOptions = {}) {
    this.#sources = [new PriceTable(prices), ...(list === 'none' ? [] : [new GenaiPrices()])];
  }

  costOf(request: ChatRequest): Cost {
    const { tokens, startMillis } = request;
    if (tokens === undefined || !(Math.abs(startMillis) <= LAST_MILLIS)) return UNKNOWN;
    const found = this.#priceOf(request);
    if (found === undefined) return UNKNOWN;
    const charge = chargeOf(tokens, found.ratesAt(startMillis));
    if (charge === undefined) return UNKNOWN;
    const isExact = found.isCertain && charge.isComplete && (tokens.cacheWrite === 0 || !found.hasSeveralWriteRates);
    return {
      status: isExact ? 'exact' : 'estimated',
      usd: charge.total,
      inputUsd: charge.input,
      outputUsd: charge.output,
      source: found.source,
      version: found.version,
    };
  }

  #priceOf({ provider, host, requestModel, responseModel }: ChatRequest): FoundPrice | undefined {
    const names = [provider, host, requestModel, responseModel];
    if (names.some((name) => name !== undefined && name.length > LONGEST_NAME)) return undefined;
    const key = JSON.stringify(names);
    if (this.#found.has(key)) return this.#found.get(key);
    let price: FoundPrice | undefined;
    for (const source of this.#sources) {
      price ??= source.find({ provider, host, requestModel, responseModel });
    }
    if (this.#found.size >= MOST_FOUND) this.#found.clear();
    this.#found.set(key, price);
    return price;
  }
}
