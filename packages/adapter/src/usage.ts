import { contractUsage, fieldsOf } from '@hermes-observer/core';

function firstOf(...values: unknown[]): number | undefined {
  for (const value of values) if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  return undefined;
}

/** Details come as an object, or as a list with one for each request. */
function detail(details: unknown, name: string, otherName = name): number | undefined {
  if (details === undefined) return undefined;
  let sum: number | undefined;
  for (const one of Array.isArray(details) ? details : [details]) {
    const fields = fieldsOf(one);
    const count = firstOf(fields[name], fields[otherName]);
    if (count !== undefined) sum = (sum ?? 0) + count;
  }
  return sum;
}

/**
 * Usage as the contract has it, from the shapes of frameworks. In all of these the input includes what caches gave:
 *
 * | | |
 * | --- | --- |
 * | AI SDK, language models V3 and V4 | `inputTokens: { total, cacheRead, cacheWrite }`, `outputTokens: { total, reasoning }` |
 * | AI SDK 7 | `inputTokens`, `inputTokenDetails: { cacheReadTokens, … }`, `outputTokenDetails` |
 * | AI SDK 5, 6 | `inputTokens`, `cachedInputTokens`, `reasoningTokens` |
 * | OpenAI Agents | `inputTokens`, `inputTokensDetails: [{ cached_tokens }]`, `outputTokensDetails` |
 * | LangChain | `input_tokens`, `input_token_details: { cache_read, cache_creation }`, `output_token_details` |
 *
 * Any other shape is left to the observer: OpenAI chat completions and Responses, Anthropic messages, the contract's own.
 */
export function usageOf(value: unknown): Record<string, number> | undefined {
  const usage = fieldsOf(value);
  const isFramework = 'inputTokens' in usage || 'outputTokens' in usage || 'input_token_details' in usage;
  if (!isFramework) return contractUsage(value);
  const input = fieldsOf(usage.inputTokens);
  const output = fieldsOf(usage.outputTokens);
  const cacheReadTokens = firstOf(
    input.cacheRead,
    detail(usage.inputTokenDetails, 'cacheReadTokens'),
    detail(usage.inputTokensDetails, 'cached_tokens', 'cachedTokens'),
    detail(usage.input_token_details, 'cache_read'),
    usage.cachedInputTokens,
  );
  const cacheWriteTokens = firstOf(
    input.cacheWrite,
    detail(usage.inputTokenDetails, 'cacheWriteTokens'),
    detail(usage.input_token_details, 'cache_creation'),
  );
  const reasoningTokens = firstOf(
    output.reasoning,
    detail(usage.outputTokenDetails, 'reasoningTokens'),
    detail(usage.outputTokensDetails, 'reasoning_tokens', 'reasoningTokens'),
    detail(usage.output_token_details, 'reasoning'),
    usage.reasoningTokens,
  );
  return contractUsage({
    inputTokens: firstOf(input.total, usage.inputTokens, usage.input_tokens),
    outputTokens: firstOf(output.total, usage.outputTokens, usage.output_tokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
  });
}
