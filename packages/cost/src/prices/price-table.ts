import { createHash } from 'node:crypto';
import { ObserverError } from '@hermes-observer/core';
import { namePattern } from './name-pattern.js';
import type { AskedModel, FoundPrice, PriceSource } from './price-source.js';
import type { Rate, Rates } from './rates.js';

/** Other prices for requests with more than so many tokens of input. What is left out stays as it is below. */
export interface PriceTier {
  readonly above: number;
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** A price of your own, in USD per million tokens. */
export interface PriceEntry {
  /** Provider, as the spans have it; `*` stands for any text. @default every provider */
  readonly provider?: string | undefined;
  /** Model that answered, or else the one that was asked for; `*` stands for any text. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  /** @default as `input`, and the cost counts as estimated */
  readonly cacheRead?: number | undefined;
  /** @default as `input`, and the cost counts as estimated */
  readonly cacheWrite?: number | undefined;
  /** USD for each request, beside its tokens. @default 0 */
  readonly request?: number | undefined;
  readonly tiers?: readonly PriceTier[] | undefined;
}

const AMOUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'request'] as const;
const FIELDS: readonly string[] = ['provider', 'model', 'tiers', ...AMOUNTS];
const TIER_FIELDS: readonly string[] = ['above', 'input', 'output', 'cacheRead', 'cacheWrite'];

/** Your own prices. The first entry that fits counts; one that fits the model that answered goes before. */
export class PriceTable implements PriceSource {
  readonly #entries: readonly {
    fitsProvider(name: string): boolean;
    fitsModel(name: string): boolean;
    readonly price: FoundPrice;
  }[];

  /** @throws ObserverError `HO_OPTION` for an entry that is wrong. */
  constructor(entries: readonly PriceEntry[]) {
    if (!Array.isArray(entries)) throw new ObserverError('HO_OPTION', 'prices must be a list.');
    entries.forEach(checkEntry);
    const version = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 12);
    this.#entries = entries.map((entry) => ({
      fitsProvider: namePattern(entry.provider ?? '*'),
      fitsModel: namePattern(entry.model),
      price: {
        source: 'table',
        version,
        isCertain: true,
        hasSeveralWriteRates: false,
        ratesAt: constant(ratesOf(entry)),
      },
    }));
  }

  find({ provider = '', responseModel, requestModel }: AskedModel): FoundPrice | undefined {
    for (const model of [responseModel, requestModel]) {
      if (model === undefined) continue;
      const entry = this.#entries.find((one) => one.fitsProvider(provider) && one.fitsModel(model));
      if (entry !== undefined) return entry.price;
    }
    return undefined;
  }
}

const constant = (rates: Rates) => () => rates;

function ratesOf(entry: PriceEntry): Rates {
  const tiers = (entry.tiers ?? []).toSorted((a, b) => a.above - b.above);
  const rate = (field: keyof Omit<PriceTier, 'above'>): Rate | undefined => {
    const base = entry[field];
    if (base === undefined || tiers.length === 0) return base;
    let price = base;
    return {
      base,
      tiers: tiers.map((tier) => {
        price = tier[field] ?? price;
        return { start: tier.above, price };
      }),
    };
  };
  return {
    input: rate('input'),
    output: rate('output'),
    cacheRead: rate('cacheRead'),
    cacheWrite: rate('cacheWrite'),
    request: entry.request,
  };
}

function checkEntry(entry: PriceEntry, i: number): void {
  const demand = (isGood: boolean, problem: string) => {
    if (!isGood) throw new ObserverError('HO_OPTION', `prices[${i}] ${problem}`);
  };
  demand(typeof entry === 'object' && entry !== null, 'must be an object.');
  const unknown = Object.keys(entry).find((name) => !FIELDS.includes(name));
  demand(unknown === undefined, `has no ${unknown}; there are ${FIELDS.join(', ')}.`);
  demand(typeof entry.model === 'string' && entry.model !== '', 'needs a model, such as gpt-5*.');
  demand(entry.provider === undefined || typeof entry.provider === 'string', 'has a provider that is no text.');
  demand(isAmount(entry.input) && isAmount(entry.output), 'needs input and output, in USD per million tokens.');
  for (const name of AMOUNTS) {
    demand(entry[name] === undefined || isAmount(entry[name]), `has a ${name} that is no number from 0.`);
  }
  demand(entry.tiers === undefined || Array.isArray(entry.tiers), 'has tiers that are no list.');
  for (const tier of entry.tiers ?? []) {
    demand(typeof tier === 'object' && tier !== null && isAmount(tier.above), 'has a tier without above.');
    const wrong = Object.entries(tier).find(([name, value]) => !TIER_FIELDS.includes(name) || !isAmount(value ?? 0));
    demand(wrong === undefined, `has a tier with a ${wrong?.[0]} that it cannot have.`);
    for (const name of ['cacheRead', 'cacheWrite'] as const) {
      demand(tier[name] === undefined || entry[name] !== undefined, `has a tier with ${name}, and none below it.`);
    }
  }
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && Number.isFinite(value);
