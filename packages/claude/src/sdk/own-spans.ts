import type { Fields } from './fields.js';

/**
 * What to do where Claude Code makes spans of its own: `warn` makes ours too and says once that each request now counts twice;
 * `keep` makes both without a word; `yield` makes none of ours.
 */
export type FrameworkSpans = 'warn' | 'keep' | 'yield';

const isOn = (value: unknown): boolean => typeof value === 'string' && !/^(0|false|no|off)?$/i.test(value.trim());

/** Whether a process of Claude Code with these variables exports spans of its requests and tools. */
export function makesOwnSpans(env: Fields): boolean {
  const isEnhanced = isOn(env.CLAUDE_CODE_ENHANCED_TELEMETRY_BETA) || isOn(env.ENABLE_ENHANCED_TELEMETRY_BETA);
  const exporter = env.OTEL_TRACES_EXPORTER;
  const exports = typeof exporter === 'string' && exporter.trim() !== '' && exporter.trim() !== 'none';
  return isOn(env.CLAUDE_CODE_ENABLE_TELEMETRY) && isEnhanced && exports;
}

/** Where the model is asked, as Claude Code is told by its variables. */
export function providerIn(env: Fields): string {
  if (isOn(env.CLAUDE_CODE_USE_BEDROCK)) return 'aws.bedrock';
  if (isOn(env.CLAUDE_CODE_USE_VERTEX)) return 'gcp.vertex_ai';
  return 'anthropic';
}
