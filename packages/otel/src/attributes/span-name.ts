import type { AnyNode } from '../assembly/span-node.js';
import { label } from './values.js';

const named = (operation: string, name: string | undefined) => {
  const text = label(name);
  return text === undefined ? operation : `${operation} ${text}`;
};

/** Name of a span: the operation, and what it is about where that is known. */
export function spanName(node: AnyNode, agentName: string): string {
  switch (node.kind) {
    case 'turn':
      return `invoke_agent ${agentName}`;
    case 'child':
      return named('invoke_agent', node.role ?? 'subagent');
    case 'request':
    case 'auxiliary':
      return named('chat', node.model);
    case 'tool':
      return named('execute_tool', node.name);
    case 'approval':
      return named('approval', node.tool?.name ?? node.patternKey);
    case 'human_input':
      return named('human_input', node.inputKind);
  }
}
