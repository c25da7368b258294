import type { Cost, TokenUsage } from '../source/usage.js';

/**
 * Tokens in Langfuse's arithmetic, whose parts add up to the total: what was read from or written to a cache is not in
 * `input`, reasoning is not in `output`. Names are those that its prices know. Parts that a provider reports as more than
 * the whole are cut to it, so that the total is the provider's in any case.
 */
export function usageDetails({ input, output, cacheRead, cacheWrite, reasoning }: TokenUsage): string | undefined {
  if (input === undefined && output === undefined) return undefined;
  const details: Record<string, number> = {};
  if (input !== undefined) {
    const read = Math.min(cacheRead ?? 0, input);
    const written = Math.min(cacheWrite ?? 0, input - read);
    details.input = input - read - written;
    if (cacheRead !== undefined) details.input_cached_tokens = read;
    if (cacheWrite !== undefined) details.input_cache_creation = written;
  }
  if (output !== undefined) {
    const thought = Math.min(reasoning ?? 0, output);
    details.output = output - thought;
    if (reasoning !== undefined) details.output_reasoning_tokens = thought;
  }
  details.total = (input ?? 0) + (output ?? 0);
  return JSON.stringify(details);
}

/** US dollars. Langfuse reckons nothing by itself where it is given any of them. */
export function costDetails({ total, input, output }: Cost): string | undefined {
  if (total === undefined) return undefined;
  return JSON.stringify({
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    total,
  });
}
