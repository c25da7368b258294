import { semconv } from '@hermes-observer/otel';
import type { SpanFacts } from './span-facts.js';

/** What a span stands for. `other`: none of ours, such as one of HTTP instrumentation. */
export type Role = 'turn' | 'child' | 'chat' | 'auxiliary' | 'tool' | 'approval' | 'human_input' | 'other';

/** Read off the attributes; only waits for a person, which have no operation, are told by their names. */
export function roleOf({ attributes, name }: Pick<SpanFacts, 'attributes' | 'name'>): Role {
  switch (attributes[semconv.ATTR_GEN_AI_OPERATION_NAME]) {
    case 'invoke_agent':
      return attributes[semconv.ATTR_HERMES_TURN_KIND] !== undefined ? 'turn' : 'child';
    case 'chat':
      return attributes[semconv.ATTR_HERMES_AUX_TASK] === undefined ? 'chat' : 'auxiliary';
    case 'execute_tool':
      return 'tool';
    case undefined:
      return waitOf(name, attributes);
    default:
      return 'other';
  }
}

/** Each wait belongs to a conversation or a turn, or says of itself what it is. */
function waitOf(name: string, attributes: SpanFacts['attributes']): Role {
  const isOurs = Object.keys(attributes).some((key) => key.startsWith('hermes.') || key === CONVERSATION);
  if (!isOurs) return 'other';
  if (/^approval( |$)/.test(name)) return 'approval';
  return /^human_input( |$)/.test(name) ? 'human_input' : 'other';
}

const CONVERSATION = semconv.ATTR_GEN_AI_CONVERSATION_ID;

export const isAgent = (role: Role): boolean => role === 'turn' || role === 'child';
