import { countOf } from './values.js';

/** Token counts of one answer; absent, not 0, where the provider reported none. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number | undefined;
  /** All output tokens, reasoning included. */
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly reasoning: number | undefined;
}

const NONE: Usage = {
  input: undefined,
  output: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
};

/** As the provider reported them. The input is `prompt_tokens`, or the sum of its parts when that is missing. */
export function usageOf(reported: unknown): Usage {
  if (typeof reported !== 'object' || reported === null) return NONE;
  const { prompt_tokens, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } =
    reported as Record<string, unknown>;
  const cacheRead = countOf(cache_read_tokens);
  const cacheWrite = countOf(cache_write_tokens);
  let input: number | undefined;
  if (prompt_tokens !== undefined && prompt_tokens !== null) input = countOf(prompt_tokens);
  else {
    const own = countOf(input_tokens);
    if (own !== undefined) input = countOf(own + (cacheRead ?? 0) + (cacheWrite ?? 0));
  }
  return { input, output: countOf(output_tokens), cacheRead, cacheWrite, reasoning: countOf(reasoning_tokens) };
}
