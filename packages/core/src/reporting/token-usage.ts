/** Tokens of an answer. What is not known is left out. */
export interface TokenUsage {
  /** All tokens of the prompt, those from and to the provider's cache included. */
  readonly inputTokens?: number;
  /** All tokens of the answer, reasoning included. */
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function count(...values: unknown[]): number | undefined {
  for (const value of values) if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  return undefined;
}

/**
 * Usage as the contract has it, from any of these shapes: `TokenUsage`; OpenAI chat completions (`prompt_tokens`,
 * `completion_tokens` and their details), where the prompt includes cached tokens; OpenAI Responses (`input_tokens`,
 * `output_tokens` and their details), likewise; Anthropic messages (`input_tokens`, `cache_read_input_tokens`,
 * `cache_creation_input_tokens`, `output_tokens`), where the input does not; the contract's own.
 */
export function contractUsage(value: unknown): Record<string, number> | undefined {
  const usage = fieldsOf(value);
  const read = count(
    usage.cacheReadTokens,
    usage.cache_read_input_tokens,
    fieldsOf(usage.prompt_tokens_details).cached_tokens,
    fieldsOf(usage.input_tokens_details).cached_tokens,
    usage.cache_read_tokens,
  );
  const written = count(usage.cacheWriteTokens, usage.cache_creation_input_tokens, usage.cache_write_tokens);
  const reasoning = count(
    usage.reasoningTokens,
    fieldsOf(usage.completion_tokens_details).reasoning_tokens,
    fieldsOf(usage.output_tokens_details).reasoning_tokens,
    usage.reasoning_tokens,
  );
  const prompt = promptTokens(usage, (read ?? 0) + (written ?? 0));
  const output = count(usage.outputTokens, usage.completion_tokens, usage.output_tokens);
  // One by one: this is done for each answer, and spreads of many literals cost several times as much.
  const mapped: Record<string, number> = {};
  if (prompt !== undefined) mapped.prompt_tokens = prompt;
  if (output !== undefined) mapped.output_tokens = output;
  if (read !== undefined) mapped.cache_read_tokens = read;
  if (written !== undefined) mapped.cache_write_tokens = written;
  if (reasoning !== undefined) mapped.reasoning_tokens = reasoning;
  if (prompt !== undefined) mapped.input_tokens = Math.max(0, prompt - (read ?? 0) - (written ?? 0));
  if (prompt !== undefined && output !== undefined) mapped.total_tokens = prompt + output;
  const isEmpty = prompt === undefined && (output ?? read ?? written ?? reasoning) === undefined;
  return isEmpty ? undefined : mapped;
}

function promptTokens(usage: Fields, cached: number): number | undefined {
  const whole = count(usage.inputTokens, usage.prompt_tokens);
  const input = count(usage.input_tokens);
  if (whole !== undefined || input === undefined) return whole;
  const isUncached = [
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.cache_read_tokens,
    usage.cache_write_tokens,
  ].some((part) => part !== undefined);
  return isUncached ? input + cached : input;
}
