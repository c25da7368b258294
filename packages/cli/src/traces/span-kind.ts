import { semconv } from '@hermes-observer/otel';
import type { SpanKinds } from '../wire.js';
import type { Facts } from './facts.js';
import { factsOf, type SpanSource, textOf } from './span-source.js';

/** What a span stands for. The numbers go over the wire. */
export const SPAN_KIND: SpanKinds = {
  turn: 0,
  child: 1,
  request: 2,
  auxiliary: 3,
  tool: 4,
  approval: 5,
  human: 6,
  other: 7,
};

export type ViewKind = SpanKinds[keyof SpanKinds];

/** Operations of the GenAI conventions in which a model is at work. */
const MODEL_OPERATIONS: ReadonlySet<string> = new Set(['chat', 'text_completion', 'generate_content', 'embeddings']);

/** The kind by what the span says of itself; `hasParent` tells an agent from a child agent where it does not say. */
export function viewKindOf(source: Pick<SpanSource, 'name' | 'attributes' | 'facts'>, hasParent: boolean): ViewKind {
  const { name } = source;
  const attributes = factsOf(source);
  const operation = textOf(attributes, semconv.ATTR_GEN_AI_OPERATION_NAME);
  if (operation === undefined) {
    if (name.startsWith('approval') && isOurs(attributes)) return SPAN_KIND.approval;
    return name.startsWith('human_input') && isOurs(attributes) ? SPAN_KIND.human : SPAN_KIND.other;
  }
  if (operation === 'execute_tool') return SPAN_KIND.tool;
  if (MODEL_OPERATIONS.has(operation)) {
    return attributes[semconv.ATTR_HERMES_AUX_TASK] === undefined ? SPAN_KIND.request : SPAN_KIND.auxiliary;
  }
  if (operation !== 'invoke_agent') return SPAN_KIND.other;
  if (isChild(attributes)) return SPAN_KIND.child;
  // A turn of ours may hang under a caller's span.
  return hasParent && attributes[semconv.ATTR_HERMES_TURN_KIND] === undefined ? SPAN_KIND.child : SPAN_KIND.turn;
}

/** A span of this model, and not of another program. */
export function isOurs(attributes: Facts): boolean {
  return (
    textOf(attributes, semconv.ATTR_HERMES_TURN_ID) !== undefined ||
    textOf(attributes, semconv.ATTR_GEN_AI_CONVERSATION_ID) !== undefined
  );
}

function isChild(attributes: Facts): boolean {
  return (
    attributes[semconv.ATTR_HERMES_SUBAGENT_ROLE] !== undefined ||
    attributes[semconv.ATTR_HERMES_PARENT_SESSION_ID] !== undefined ||
    attributes[semconv.ATTR_HERMES_SUBAGENT_STATUS] !== undefined
  );
}

/** An approval that a model decides; what it asks the model is a span of its own, and nobody waits for a person. */
export function isDecidedByModel(attributes: Facts): boolean {
  return (
    textOf(attributes, semconv.ATTR_HERMES_APPROVAL_DECIDED_BY) !== undefined ||
    textOf(attributes, semconv.ATTR_HERMES_APPROVAL_SURFACE) === 'smart'
  );
}
