/** USD per million tokens, or what it is from a size of the whole input on. */
export type Rate = number | { readonly base: number; readonly tiers: readonly RateTier[] };

/** `price` holds for all tokens of a request with more than `start` tokens of input. Ascending by `start`. */
export interface RateTier {
  readonly start: number;
  readonly price: number;
}

/** What a model costs. What has no rate of its own is charged as the input or output it is a part of. */
export interface Rates {
  readonly input: Rate | undefined;
  readonly output: Rate | undefined;
  readonly cacheRead?: Rate | undefined;
  readonly cacheWrite?: Rate | undefined;
  readonly reasoning?: Rate | undefined;
  /** USD for the request itself. */
  readonly request?: number | undefined;
}

/** Token counts of one request, as the attributes of a chat span have them. */
export interface TokenCounts {
  /** All of the input: what was read from a cache or written to one is in it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** A part of the output. */
  readonly reasoning: number;
}

/** USD. The total has what is charged for the request beside its tokens. */
export interface Charge {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  /** Every kind of token that there was has a rate of its own. */
  readonly isComplete: boolean;
}

/** `undefined` where a rate that is needed is missing, or a part is more than the whole. */
export function chargeOf(tokens: TokenCounts, rates: Rates): Charge | undefined {
  const fresh = tokens.input - tokens.cacheRead - tokens.cacheWrite;
  const said = tokens.output - tokens.reasoning;
  if (fresh < 0 || said < 0) return undefined;
  const part = (count: number, rate: Rate | undefined) =>
    count === 0 ? 0 : rate === undefined ? Number.NaN : count * priceAt(rate, tokens.input);
  const input =
    part(fresh, rates.input) +
    part(tokens.cacheRead, rates.cacheRead ?? rates.input) +
    part(tokens.cacheWrite, rates.cacheWrite ?? rates.input);
  const output = part(said, rates.output) + part(tokens.reasoning, rates.reasoning ?? rates.output);
  const total = (input + output) / 1e6 + (rates.request ?? 0);
  if (!Number.isFinite(total)) return undefined;
  return {
    input: rounded(input / 1e6),
    output: rounded(output / 1e6),
    total: rounded(total),
    isComplete:
      (tokens.cacheRead === 0 || rates.cacheRead !== undefined) &&
      (tokens.cacheWrite === 0 || rates.cacheWrite !== undefined),
  };
}

function priceAt(rate: Rate, input: number): number {
  if (typeof rate === 'number') return rate;
  let { base: price } = rate;
  for (const tier of rate.tiers) if (input > tier.start) price = tier.price;
  return price;
}

/** To a millionth of a millionth of a dollar: the cheapest token costs thousands of these, and sums stay readable. */
const rounded = (usd: number): number => Math.round(usd * 1e12) / 1e12;
