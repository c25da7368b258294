import { semconv } from '@hermes-observer/otel';
import { type SpanRow, textOf } from './span-row.js';

/** What a span stands for; `other` is any span that is not of this model. */
export type Role = 'turn' | 'child' | 'chat' | 'tool' | 'approval' | 'human_input' | 'other';

export function roleOf({ name, attributes }: SpanRow): Role {
  switch (textOf(attributes, semconv.ATTR_GEN_AI_OPERATION_NAME)) {
    case 'invoke_agent':
      return isChild(attributes) ? 'child' : 'turn';
    case 'chat':
      return 'chat';
    case 'execute_tool':
      return 'tool';
    case undefined:
      break;
    default:
      return 'other';
  }
  const [first] = name.split(' ', 1);
  return first === 'approval' || first === 'human_input' ? first : 'other';
}

function isChild(attributes: SpanRow['attributes']): boolean {
  return (
    textOf(attributes, semconv.ATTR_HERMES_SUBAGENT_ROLE) !== undefined ||
    textOf(attributes, semconv.ATTR_HERMES_PARENT_SESSION_ID) !== undefined ||
    textOf(attributes, semconv.ATTR_HERMES_SUBAGENT_STATUS) !== undefined
  );
}
