import { chatWith } from '../mapping/spans.test-support.js';
import { SourceSpan } from '../source/source-span.js';
import { type TokenUsage, tokenUsage } from '../source/usage.js';

/** Usage as spans have it of what each provider reports: input with what was cached, output with what was thought. */
const SHAPES = {
  openai: { input: 1555, cacheRead: 1344, output: 19, reasoning: 12 },
  anthropic: { input: 50 + 2000 + 1000, cacheRead: 2000, cacheWrite: 1000, output: 100 },
  gemini: { input: 900, cacheRead: 300, output: 200 + 150, reasoning: 150 },
  plain: { input: 12, output: 5 },
} as const;

export function usageOfShape(shape: keyof typeof SHAPES): TokenUsage {
  const { input, output, ...parts }: { input: number; output: number; [part: string]: number } = SHAPES[shape];
  const { cacheRead, cacheWrite, reasoning } = parts;
  const span = chatWith({
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    ...(cacheRead !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cacheRead }),
    ...(cacheWrite !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': cacheWrite }),
    ...(reasoning !== undefined && { 'gen_ai.usage.reasoning.output_tokens': reasoning }),
  });
  return tokenUsage(new SourceSpan(span));
}
