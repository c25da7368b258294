import { semconv } from '@hermes-observer/otel';
import { formatTokens } from './amount.js';
import { type Piece, piece } from './piece.js';
import { numberOf, type RowAttributes, type SpanRow } from './span-row.js';

/** Tokens of one request or of several. `undefined` parts were not reported; they are never shown as 0. */
export interface Usage {
  readonly input: number | undefined;
  /** Part of `input` that was read from a cache. */
  readonly cached: number | undefined;
  /** Part of `input` that was written to a cache. */
  readonly cacheWritten: number | undefined;
  readonly output: number | undefined;
  /** Part of `output`. */
  readonly reasoning: number | undefined;
}

/** What a span says of tokens, `undefined` if nothing. */
export function usageOf(attributes: RowAttributes): Usage | undefined {
  const input = numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS);
  const output = numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS);
  if (input === undefined && output === undefined) return undefined;
  return {
    input,
    output,
    cached: numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS),
    cacheWritten: numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS),
    reasoning: numberOf(attributes, semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS),
  };
}

/** Asks several models; what they used stands on the requests that it makes of them. */
const MIXTURE_PROVIDER = 'moa';

/** True for an answered request whose tokens nobody knows. */
export function lacksUsage({ attributes, failed, end }: SpanRow): boolean {
  if (failed || end === undefined || attributes[semconv.ATTR_HERMES_INCOMPLETE] === true) return false;
  return usageOf(attributes) === undefined && attributes[semconv.ATTR_GEN_AI_PROVIDER_NAME] !== MIXTURE_PROVIDER;
}

export function addUsage(a: Usage | undefined, b: Usage): Usage {
  return a === undefined
    ? b
    : {
        input: sum(a.input, b.input),
        output: sum(a.output, b.output),
        cached: sum(a.cached, b.cached),
        cacheWritten: sum(a.cacheWritten, b.cacheWritten),
        reasoning: sum(a.reasoning, b.reasoning),
      };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}

/** `8213 in, 312 out`, `6100 cached`, `200 reasoning`; parts of 0 are left out. */
export function usageParts({ input, cached, cacheWritten, output, reasoning }: Usage): Piece[] {
  const parts = [piece(`${amount(input)} in, ${amount(output)} out`)];
  const say = (count: number | undefined, what: string) => {
    if (count !== undefined && count > 0) parts.push(piece(`${formatTokens(count)} ${what}`, 'dim'));
  };
  say(cached, 'cached');
  say(cacheWritten, 'to cache');
  say(reasoning, 'reasoning');
  return parts;
}

/** The same in one text: `8213 in (6100 cached), 312 out (200 reasoning)`. */
export function usageText({ input, cached, cacheWritten, output, reasoning }: Usage): string {
  const cache = [part(cached, 'cached'), part(cacheWritten, 'to cache')].filter((text) => text !== '').join(', ');
  return `${amount(input)} in${brackets(cache)}, ${amount(output)} out${brackets(part(reasoning, 'reasoning'))}`;
}

const amount = (count: number | undefined) => (count === undefined ? '?' : formatTokens(count));
const part = (count: number | undefined, what: string) => ((count ?? 0) > 0 ? `${amount(count)} ${what}` : '');
const brackets = (text: string) => (text === '' ? '' : ` (${text})`);
