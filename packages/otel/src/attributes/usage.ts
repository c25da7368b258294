import {
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from './semconv.js';
import { type AttributeTarget, isCount, putCount } from './values.js';

/**
 * Token counts as the provider reported them; absent, not 0, where it reported none. The input includes cached tokens:
 * `prompt_tokens`, or the sum of its parts when that is missing.
 */
export function putUsage(span: AttributeTarget, usage: unknown): void {
  if (typeof usage !== 'object' || usage === null) return;
  const { prompt_tokens, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } =
    usage as Record<string, unknown>;
  if (prompt_tokens !== undefined && prompt_tokens !== null) {
    putCount(span, ATTR_GEN_AI_USAGE_INPUT_TOKENS, prompt_tokens);
  } else if (isCount(input_tokens)) {
    const cached =
      (isCount(cache_read_tokens) ? cache_read_tokens : 0) + (isCount(cache_write_tokens) ? cache_write_tokens : 0);
    putCount(span, ATTR_GEN_AI_USAGE_INPUT_TOKENS, input_tokens + cached);
  }
  putCount(span, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, output_tokens);
  putCount(span, ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS, cache_read_tokens);
  putCount(span, ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS, cache_write_tokens);
  putCount(span, ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS, reasoning_tokens);
}
