import { semconv } from '@hermes-observer/otel';
import {
  ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS,
  ATTR_HERMES_COST_INPUT_USD,
  ATTR_HERMES_COST_OUTPUT_USD,
  ATTR_HERMES_COST_STATUS,
  ATTR_HERMES_COST_USD,
} from '../semconv.js';
import type { SourceSpan } from './source-span.js';

/** Tokens of one answer as the provider counts them; what it did not report is absent. */
export interface TokenUsage {
  /** Cached ones included. */
  readonly input: number | undefined;
  /** Reasoning included. */
  readonly output: number | undefined;
  /** Parts of the input. */
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  /** Part of the output. */
  readonly reasoning: number | undefined;
}

export const tokenUsage = (source: SourceSpan): TokenUsage => ({
  input: source.count(semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS),
  output: source.count(semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
  cacheRead: source.count(semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS),
  cacheWrite:
    source.count(semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS) ??
    source.count(ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS),
  reasoning: source.count(semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS),
});

/** US dollars; absent where nobody put a price on the span, or does not know it. */
export interface Cost {
  readonly total: number | undefined;
  readonly input: number | undefined;
  readonly output: number | undefined;
}

export function costOf(source: SourceSpan): Cost {
  const isKnown = source.text(ATTR_HERMES_COST_STATUS) !== 'unknown';
  const amount = (name: string) => (isKnown ? source.count(name) : undefined);
  return {
    total: amount(ATTR_HERMES_COST_USD),
    input: amount(ATTR_HERMES_COST_INPUT_USD),
    output: amount(ATTR_HERMES_COST_OUTPUT_USD),
  };
}
