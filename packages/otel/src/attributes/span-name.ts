import type { AnyNode } from '../assembly/span-node.js';
import { label } from './values.js';

const MAX_KNOWN = 256;
const LONGEST_KNOWN = 256;

/** Names of one operation. Agents use few models and tools, so names are kept: all spans of a name share one text. */
class OperationNames {
  readonly #operation: string;
  readonly #known = new Map<string, string>();

  constructor(operation: string) {
    this.#operation = operation;
  }

  of(subject: string | undefined): string {
    if (subject === undefined) return this.#operation;
    return this.#known.get(subject) ?? this.#add(subject);
  }

  #add(subject: string): string {
    const text = label(subject);
    const name = text === undefined ? this.#operation : `${this.#operation} ${text}`;
    if (subject.length > LONGEST_KNOWN) return name;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(subject, name);
    return name;
  }
}

const agents = new OperationNames('invoke_agent');
const chats = new OperationNames('chat');
const tools = new OperationNames('execute_tool');
const approvals = new OperationNames('approval');
const humanInputs = new OperationNames('human_input');

/** Name of a span: the operation, and what it is about where that is known. */
export function spanName(node: AnyNode, agentName: string): string {
  switch (node.kind) {
    case 'turn':
      return agents.of(agentName);
    case 'child':
      return agents.of(node.role ?? 'subagent');
    case 'request':
    case 'auxiliary':
      return chats.of(node.model);
    case 'tool':
      return tools.of(node.name);
    case 'approval':
      return approvals.of(node.tool?.name ?? node.patternKey);
    case 'human_input':
      return humanInputs.of(node.inputKind);
  }
}
