import type { ReadableSpan } from '@hermes-observer/otel';
import { SCOPE_NAME, semconv } from '@hermes-observer/otel';

export type SpanKindName = 'chat' | 'tool' | 'agent' | 'approval' | 'human_input';

const OPERATIONS: ReadonlyMap<string, SpanKindName> = new Map([
  ['chat', 'chat'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
]);

/** What one of our spans is of; `undefined` for spans of other instrumentation, which tell their own. */
export function kindOf(span: ReadableSpan): SpanKindName | undefined {
  if (span.instrumentationScope.name !== SCOPE_NAME) return undefined;
  const operation = span.attributes[semconv.ATTR_GEN_AI_OPERATION_NAME];
  if (typeof operation === 'string') return OPERATIONS.get(operation);
  const { name } = span;
  if (name === 'approval' || name.startsWith('approval ')) return 'approval';
  return name === 'human_input' || name.startsWith('human_input ') ? 'human_input' : undefined;
}
