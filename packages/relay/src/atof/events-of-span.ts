import { isTooDeep } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { furtherAttributes, modelOf, requestName, statusCodeOf, textAttribute } from '../spans/content.js';
import { type AskedCall, asObject, messagesOf, textOf } from '../spans/messages.js';
import { isAgent, type Role } from '../spans/role.js';
import type { EventFacts, SpanFacts } from '../spans/span-facts.js';
import { spanUuid } from '../spans/span-uuid.js';
import { endMicros, microsOf, timestamp } from '../spans/times.js';
import { answerPayload, CHAT_COMPLETIONS, requestPayload } from './chat-payload.js';
import { ATOF_VERSION, type Category, type MarkEvent, type ScopeEvent } from './event.js';

/** What is known of a call beside its span. */
export interface Known {
  /** Calls that a request asked for, where its answer does not say them. */
  readonly calls?: readonly AskedCall[];
  /** Whether the newest request of its agent asked for this tool call. */
  readonly isAnnounced?: boolean;
}

const CATEGORIES: Readonly<Record<Role, Category | undefined>> = {
  turn: 'agent',
  child: 'agent',
  chat: 'llm',
  auxiliary: 'llm',
  tool: 'tool',
  // Waits for a person: marks, since the format has no scope for them.
  approval: undefined,
  human_input: undefined,
  other: 'unknown',
};

/** The span that a mark or scope stands below. A turn is a root, wherever its caller was. */
function parentOf(span: SpanFacts, role: Role): string | null {
  return role === 'turn' || span.parentId === undefined ? null : spanUuid(span.traceId, span.parentId);
}

/** The two lines of a scope have all but these in common. */
function scope(span: SpanFacts, role: Role, category: Category) {
  return {
    kind: 'scope',
    atof_version: ATOF_VERSION,
    category,
    uuid: spanUuid(span.traceId, span.spanId),
    parent_uuid: parentOf(span, role),
    name: nameOf(span, role),
    attributes: [],
  } as const;
}

/** The start of a scope; `undefined` for what is told by marks. */
export function startEvent(span: SpanFacts, role: Role, known: Known = {}): ScopeEvent | undefined {
  const category = CATEGORIES[role];
  if (category === undefined) return undefined;
  const { attributes } = span;
  const data = inputOf(attributes, role);
  return {
    ...scope(span, role, category),
    scope_category: 'start',
    category_profile: profileOf(attributes, role, known, semconv.ATTR_GEN_AI_REQUEST_MODEL),
    data,
    data_schema: category === 'llm' && data !== null ? CHAT_COMPLETIONS : null,
    timestamp: timestamp(microsOf(span.start)),
    metadata: correlation(span, role),
  };
}

/** The end of a scope; `undefined` for what is told by marks. */
export function endEvent(span: SpanFacts, role: Role, known: Known = {}): ScopeEvent | undefined {
  const category = CATEGORIES[role];
  if (category === undefined) return undefined;
  const { attributes, statusMessage } = span;
  const data = outputOf(attributes, role, known);
  const status = statusCodeOf(span);
  return {
    ...scope(span, role, category),
    scope_category: 'end',
    category_profile: profileOf(attributes, role, known),
    data,
    data_schema: category === 'llm' && data !== null ? CHAT_COMPLETIONS : null,
    timestamp: timestamp(endMicros(span)),
    metadata: {
      ...correlation(span, role),
      ...(status !== undefined && { 'otel.status_code': status }),
      ...(statusMessage !== undefined && { 'otel.status_description': statusMessage }),
      ...furtherAttributes(attributes),
    },
  };
}

/** Marks of a span: those of a wait, and one for each of its events. `data` stays empty, see `docs/relay.md`. */
export function* marksOf(span: SpanFacts, role: Role): Generator<MarkEvent, void, void> {
  const isScope = CATEGORIES[role] !== undefined;
  if (!isScope) {
    const further = furtherAttributes(span.attributes);
    const end = endMicros(span);
    const duration = (end - microsOf(span.start)) / 1000;
    yield mark(span, role, `hermes.${role}.request`, microsOf(span.start), '/request', {});
    yield mark(span, role, `hermes.${role}.response`, end, '/response', { ...further, duration_ms: duration });
  }
  let i = 0;
  for (const { name, time, attributes } of span.events as readonly EventFacts[]) {
    yield mark(span, role, name, microsOf(time), `/event/${i++}`, attributes, isScope);
  }
}

function mark(
  span: SpanFacts,
  role: Role,
  name: string,
  micros: number,
  part: string,
  facts: Readonly<Record<string, unknown>>,
  isBelow = false,
): MarkEvent {
  return {
    kind: 'mark',
    atof_version: ATOF_VERSION,
    category: null,
    category_profile: null,
    uuid: spanUuid(span.traceId, span.spanId, part),
    parent_uuid: isBelow ? spanUuid(span.traceId, span.spanId) : parentOf(span, role),
    data: null,
    data_schema: null,
    timestamp: timestamp(micros),
    name,
    metadata: { ...correlation(span, role), ...facts },
  };
}

function correlation({ traceId, spanId, parentId, remoteParentId, attributes, links }: SpanFacts, role: Role) {
  const session = textAttribute(attributes, semconv.ATTR_GEN_AI_CONVERSATION_ID);
  const caller = remoteParentId ?? (role === 'turn' ? parentId : undefined);
  return {
    ...(session !== undefined && { session_id: session }),
    trace_id: traceId,
    span_id: spanId,
    ...(caller !== undefined && { parent_span_id: caller }),
    ...(isAgent(role) && { nemo_relay_scope_role: role === 'turn' ? 'turn' : 'subagent' }),
    ...(links.length > 0 && {
      links: links.map((link) => ({ trace_id: link.traceId, span_id: link.spanId, ...link.attributes })),
    }),
  };
}

function nameOf({ name, attributes }: SpanFacts, role: Role): string {
  switch (role) {
    case 'turn':
    case 'child':
      return textAttribute(attributes, semconv.ATTR_GEN_AI_AGENT_NAME) ?? (role === 'turn' ? 'agent' : 'subagent');
    case 'chat':
    case 'auxiliary':
      return requestName(attributes);
    case 'tool':
      return textAttribute(attributes, semconv.ATTR_GEN_AI_TOOL_NAME) ?? 'tool';
    default:
      return name;
  }
}

function profileOf(attributes: SpanFacts['attributes'], role: Role, { isAnnounced = true }: Known, model?: string) {
  if (role === 'tool') {
    const id = textAttribute(attributes, semconv.ATTR_GEN_AI_TOOL_CALL_ID);
    return id === undefined || !isAnnounced ? null : { tool_call_id: id };
  }
  if (role !== 'chat' && role !== 'auxiliary') return null;
  const name = model === undefined ? modelOf(attributes) : textAttribute(attributes, model);
  return name === undefined ? null : { model_name: name };
}

function inputOf(attributes: SpanFacts['attributes'], role: Role): unknown {
  switch (role) {
    case 'turn':
    case 'child':
      return textObject('input', attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES]);
    case 'chat':
    case 'auxiliary':
      return requestPayload(attributes);
    case 'tool': {
      const args = attributes[semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS];
      return args === undefined ? null : asObject(args);
    }
    default:
      return null;
  }
}

function outputOf(attributes: SpanFacts['attributes'], role: Role, { calls = [] }: Known): unknown {
  switch (role) {
    case 'turn':
    case 'child': {
      const outcome = attributes[semconv.ATTR_HERMES_TURN_OUTCOME] ?? attributes[semconv.ATTR_HERMES_SUBAGENT_STATUS];
      const output = textObject('output', attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]);
      return { ...(typeof outcome === 'string' && { outcome }), ...output };
    }
    case 'chat':
    case 'auxiliary':
      return answerPayload(attributes, calls);
    case 'tool':
      return resultOf(attributes[semconv.ATTR_GEN_AI_TOOL_CALL_RESULT]);
    default:
      return null;
  }
}

function textObject(name: string, messages: unknown): Record<string, string> {
  const [message] = messagesOf(messages);
  return message === undefined ? {} : { [name]: textOf(message) };
}

/** What a tool returned: the value, where it is JSON of an object or a list. */
function resultOf(result: unknown): unknown {
  if (typeof result !== 'string') return result ?? null;
  if (!/^\s*[[{]/.test(result)) return result;
  try {
    const value: unknown = JSON.parse(result);
    return isTooDeep(value) ? result : value;
  } catch {
    return result;
  }
}
