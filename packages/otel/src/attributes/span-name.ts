import type { AnyNode } from '../assembly/span-node.js';
import type { Capture } from './capture.js';
import { nameLabel, phraseLabel } from './labels.js';

const MAX_KNOWN = 256;
const LONGEST_KNOWN = 256;

/** Names of one operation. Agents use few models and tools, so names are kept: all spans of a name share one text. */
class OperationNames {
  readonly #operation: string;
  readonly #rule: typeof nameLabel;
  readonly #known: Readonly<Record<Capture, Map<string, string>>> = {
    none: new Map(),
    redacted: new Map(),
    full: new Map(),
  };

  constructor(operation: string, rule = nameLabel) {
    this.#operation = operation;
    this.#rule = rule;
  }

  // The two that were asked for last, as of labels.
  #last: string | undefined = undefined;
  #lastName = '';
  #before: string | undefined = undefined;
  #beforeName = '';
  #capture: Capture | undefined = undefined;

  of(subject: string | undefined, capture: Capture): string {
    if (subject === undefined) return this.#operation;
    if (capture === this.#capture) {
      if (subject === this.#last) return this.#lastName;
      if (subject === this.#before) return this.#beforeName;
      this.#before = this.#last;
      this.#beforeName = this.#lastName;
    } else {
      this.#capture = capture;
      this.#before = undefined;
    }
    const name = this.#known[capture].get(subject) ?? this.#add(subject, capture);
    this.#last = subject;
    this.#lastName = name;
    return name;
  }

  #add(subject: string, capture: Capture): string {
    const known = this.#known[capture];
    const text = this.#rule(subject, capture);
    const name = text === undefined ? this.#operation : `${this.#operation} ${text}`;
    if (subject.length > LONGEST_KNOWN) return name;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(subject, name);
    return name;
  }
}

const agents = new OperationNames('invoke_agent', phraseLabel);
const chats = new OperationNames('chat');
const tools = new OperationNames('execute_tool', phraseLabel);
const approvals = new OperationNames('approval', phraseLabel);
const humanInputs = new OperationNames('human_input');

/** Name of a span: the operation, and what it is about where that is known and may leave. */
export function spanName(node: AnyNode, agentName: string, capture: Capture): string {
  switch (node.kind) {
    case 'turn':
      return agents.of(agentName, 'full');
    case 'child':
      return agents.of(node.role ?? 'subagent', capture);
    case 'request':
    case 'auxiliary':
      return chats.of(node.model, capture);
    case 'tool':
      return tools.of(node.name, capture);
    case 'approval':
      return approvals.of(node.tool?.name ?? node.patternKey, capture);
    case 'human_input':
      return humanInputs.of(node.inputKind, capture);
  }
}
