import { semconv } from '@hermes-observer/otel';
import type { Attributes } from '@opentelemetry/api';

/** What a span stands for; `other` is neither ours nor of the GenAI conventions. */
export type SpanRole = 'agent' | 'chat' | 'tool' | 'approval' | 'human_input' | 'operation' | 'other';

export const SPAN_ROLES: readonly SpanRole[] = [
  'agent',
  'chat',
  'tool',
  'approval',
  'human_input',
  'operation',
  'other',
];

const ROLE_OF_OPERATION: ReadonlyMap<string, SpanRole> = new Map([
  ['chat', 'chat'],
  ['text_completion', 'chat'],
  ['generate_content', 'chat'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
]);

/** By what the span says of itself. `operation` is any further one of the conventions, such as `embeddings`. */
export function spanRole(name: string, attributes: Attributes): SpanRole {
  const operation = attributes[semconv.ATTR_GEN_AI_OPERATION_NAME];
  if (typeof operation === 'string') return ROLE_OF_OPERATION.get(operation) ?? 'operation';
  // These have no operation in the conventions.
  if (
    attributes[semconv.ATTR_HERMES_TURN_ID] === undefined &&
    attributes[semconv.ATTR_GEN_AI_CONVERSATION_ID] === undefined
  )
    return 'other';
  if (name === 'approval' || name.startsWith('approval ')) return 'approval';
  return name === 'human_input' || name.startsWith('human_input ') ? 'human_input' : 'other';
}
