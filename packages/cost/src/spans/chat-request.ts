import { type ReadableSpan, semconv } from '@hermes-observer/otel';
import type { ChatRequest } from '../cost-calculator.js';
import type { TokenCounts } from '../prices/rates.js';

const {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  ATTR_SERVER_ADDRESS,
} = semconv;

/** Requests to a model that answers with text, of our own agents and of other instrumentation. */
const OPERATIONS: ReadonlySet<unknown> = new Set(['chat', 'generate_content', 'text_completion']);

/** The request that a span is about; `undefined` for spans of anything else. */
export function chatRequestOf(
  attributes: ReadableSpan['attributes'],
  [seconds, nanos]: ReadableSpan['startTime'],
): ChatRequest | undefined {
  if (!OPERATIONS.has(attributes[ATTR_GEN_AI_OPERATION_NAME])) return undefined;
  const text = (name: string) => {
    const value = attributes[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    provider: text(ATTR_GEN_AI_PROVIDER_NAME),
    host: text(ATTR_SERVER_ADDRESS),
    requestModel: text(ATTR_GEN_AI_REQUEST_MODEL),
    responseModel: text(ATTR_GEN_AI_RESPONSE_MODEL),
    startMillis: seconds * 1000 + nanos / 1e6,
    tokens: tokensOf(attributes),
  };
}

function tokensOf(attributes: ReadableSpan['attributes']): TokenCounts | undefined {
  const count = (name: string) => {
    const value = attributes[name];
    return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
  };
  const input = count(ATTR_GEN_AI_USAGE_INPUT_TOKENS);
  const output = count(ATTR_GEN_AI_USAGE_OUTPUT_TOKENS);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: count(ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS) ?? 0,
    cacheWrite: count(ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS) ?? 0,
    reasoning: count(ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS) ?? 0,
  };
}
