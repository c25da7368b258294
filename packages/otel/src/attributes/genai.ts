import type { Payload } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type { AnyNode, ChildNode, RequestNode, ToolNode, TurnNode } from '../assembly/span-node.js';
import type { Capture } from './capture.js';
import { exitReason } from './exit-reason.js';
import * as semconv from './semconv.js';
import { serverOf } from './server.js';
import { setUsage } from './usage.js';
import { label, setAmount, setCount, setLabel } from './values.js';

/** What the attributes of a span depend on beside its records. */
export interface AttributeOptions {
  /** Name of the agent whose turns these are. */
  readonly agentName: string;
  readonly capture: Capture;
}

/** Attributes a span starts with: all that a sampler or processor may want to see. Content is added elsewhere. */
export function startAttributes(node: AnyNode, payload: Payload, options: AttributeOptions): Attributes {
  const attributes: Attributes = {};
  setLabel(attributes, semconv.ATTR_GEN_AI_CONVERSATION_ID, node.session);
  setLabel(attributes, semconv.ATTR_HERMES_TURN_ID, node.turnId);
  switch (node.kind) {
    case 'turn':
      startTurn(attributes, node, payload, options);
      break;
    case 'child':
      startChild(attributes, node);
      break;
    case 'request':
    case 'auxiliary':
      startRequest(attributes, node, payload);
      break;
    case 'tool':
      attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'execute_tool';
      setLabel(attributes, semconv.ATTR_GEN_AI_TOOL_NAME, node.name);
      setLabel(attributes, semconv.ATTR_GEN_AI_TOOL_CALL_ID, node.callId);
      attributes[semconv.ATTR_GEN_AI_TOOL_TYPE] = 'function';
      setLabel(attributes, semconv.ATTR_HERMES_API_REQUEST_ID, node.requestId);
      break;
    case 'approval':
      setLabel(attributes, semconv.ATTR_HERMES_APPROVAL_SURFACE, node.surface);
      setLabel(attributes, semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY, node.patternKey);
      break;
    case 'human_input':
      setLabel(attributes, semconv.ATTR_HERMES_HUMAN_INPUT_KIND, node.inputKind);
      break;
  }
  if (node.parent === undefined) {
    const { invocation } = node;
    if (invocation.producer !== '') setLabel(attributes, semconv.ATTR_HERMES_PRODUCER, invocation.producer);
    if ('profile' in node) setLabel(attributes, semconv.ATTR_HERMES_PROFILE, node.profile);
  }
  if (node.startMissing) attributes[semconv.ATTR_HERMES_START_MISSING] = true;
  return attributes;
}

function startTurn(attributes: Attributes, node: TurnNode, payload: Payload, options: AttributeOptions): void {
  attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'invoke_agent';
  attributes[semconv.ATTR_GEN_AI_AGENT_NAME] = options.agentName;
  setLabel(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL, payload.model);
  setLabel(attributes, semconv.ATTR_HERMES_PLATFORM, payload.platform);
  setLabel(attributes, semconv.ATTR_HERMES_TASK_ID, node.invocation.task);
  attributes[semconv.ATTR_HERMES_TURN_KIND] = node.turnKind;
}

function startChild(attributes: Attributes, node: ChildNode): void {
  attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'invoke_agent';
  attributes[semconv.ATTR_GEN_AI_AGENT_NAME] = label(node.role) ?? 'subagent';
  setLabel(attributes, semconv.ATTR_GEN_AI_AGENT_ID, node.agentId);
  setLabel(attributes, semconv.ATTR_HERMES_SUBAGENT_ROLE, node.role);
  setLabel(attributes, semconv.ATTR_HERMES_PARENT_SESSION_ID, node.parentSession);
  setLabel(attributes, semconv.ATTR_HERMES_PARENT_TURN_ID, node.parentTurn);
}

function startRequest(attributes: Attributes, node: RequestNode, payload: Payload): void {
  attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'chat';
  setLabel(attributes, semconv.ATTR_GEN_AI_PROVIDER_NAME, node.provider);
  setLabel(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL, node.model);
  const { address, port } = serverOf(payload.base_url);
  if (address !== undefined) attributes[semconv.ATTR_SERVER_ADDRESS] = address;
  if (port !== undefined) attributes[semconv.ATTR_SERVER_PORT] = port;
  setCount(attributes, semconv.ATTR_GEN_AI_REQUEST_MAX_TOKENS, payload.max_tokens);
  setLabel(attributes, semconv.ATTR_HERMES_API_REQUEST_ID, node.requestId);
  setCount(attributes, semconv.ATTR_HERMES_API_CALL_COUNT, payload.api_call_count);
  setLabel(attributes, semconv.ATTR_HERMES_API_MODE, payload.api_mode);
  if (node.kind === 'auxiliary') setLabel(attributes, semconv.ATTR_HERMES_AUX_TASK, node.auxTask);
}

/** Attributes known at the end. `payload` is that of the record that ended the span, if one did. */
export function endAttributes(node: AnyNode, payload: Payload | undefined, options: AttributeOptions): Attributes {
  const attributes: Attributes = {};
  switch (node.kind) {
    case 'turn':
      attributes[semconv.ATTR_HERMES_TURN_OUTCOME] = node.outcome;
      setLabel(attributes, semconv.ATTR_HERMES_TURN_EXIT_REASON, exitReason(node.exitReason, options.capture));
      attributes[semconv.ATTR_HERMES_TURN_API_CALLS] = node.invocation.apiCalls;
      attributes[semconv.ATTR_HERMES_TURN_TOOL_CALLS] = node.invocation.toolCalls;
      break;
    case 'child':
      setLabel(attributes, semconv.ATTR_HERMES_SUBAGENT_STATUS, node.status);
      break;
    case 'request':
    case 'auxiliary':
      endRequest(attributes, node, payload);
      break;
    case 'tool':
      endTool(attributes, node, payload);
      break;
    case 'approval':
      setLabel(attributes, semconv.ATTR_HERMES_APPROVAL_CHOICE, node.choice);
      setLabel(attributes, semconv.ATTR_HERMES_APPROVAL_DECIDED_BY, node.decidedBy);
      break;
    case 'human_input':
      setLabel(attributes, semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME, node.outcome);
      break;
  }
  if (node.errorType !== undefined) attributes[semconv.ATTR_ERROR_TYPE] = label(node.errorType) ?? '_OTHER';
  if (node.incomplete !== undefined) {
    attributes[semconv.ATTR_HERMES_INCOMPLETE] = true;
    attributes[semconv.ATTR_HERMES_INCOMPLETE_REASON] = node.incomplete;
  }
  return attributes;
}

function endRequest(attributes: Attributes, node: RequestNode, payload: Payload | undefined): void {
  attributes[semconv.ATTR_HERMES_API_ATTEMPTS] = node.attempts;
  if (node.errorType !== undefined) {
    setCount(attributes, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE, node.failure?.statusCode);
  }
  if (payload === undefined || node.errorType !== undefined) return;
  setLabel(attributes, semconv.ATTR_GEN_AI_RESPONSE_MODEL, payload.response_model);
  const reason = label(payload.finish_reason);
  if (reason !== undefined) attributes[semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS] = [reason];
  if (!node.usageElsewhere) setUsage(attributes, payload.usage);
  const { first_chunk_at } = payload;
  if (typeof first_chunk_at !== 'number' || node.attemptStart === undefined) return;
  // Epoch seconds against the record of the attempt's start; both are the producer's clock.
  const seconds = first_chunk_at - node.attemptStart[0] - node.attemptStart[1] / 1e9;
  setAmount(attributes, semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK, Math.round(seconds * 1e6) / 1e6);
}

function endTool(attributes: Attributes, node: ToolNode, payload: Payload | undefined): void {
  if (node.status !== undefined) attributes[semconv.ATTR_HERMES_TOOL_STATUS] = node.status;
  setLabel(attributes, semconv.ATTR_HERMES_TOOL_BLOCKED_BY, node.blockedBy);
  setAmount(attributes, semconv.ATTR_HERMES_TOOL_DURATION_MS, payload?.duration_ms);
}
