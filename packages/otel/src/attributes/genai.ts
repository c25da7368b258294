import { millisBetween, type Payload } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type { AnyNode, ChildNode, RequestNode } from '../assembly/span-node.js';
import type { Capture } from './capture.js';
import { exitReason, typeLabel, wordLabel } from './exit-reason.js';
import * as semconv from './semconv.js';
import { serverOf } from './server.js';
import { putUsage } from './usage.js';
import {
  type AttributeTarget,
  isCount,
  label,
  putAmount,
  putCount,
  putLabel,
  RepeatedLabel,
  setLabel,
} from './values.js';

/** What the attributes of a span depend on beside its records. */
export interface AttributeOptions {
  /** Name of the agent whose turns these are. */
  readonly agentName: string;
  readonly capture: Capture;
}

const sessions = new RepeatedLabel();
const turns = new RepeatedLabel();
const providers = new RepeatedLabel();
const models = new RepeatedLabel();
const modes = new RepeatedLabel();
const requests = new RepeatedLabel();
const responseModels = new RepeatedLabel();

/** No span has more attributes than this from its first record, content left out. */
export const MOST_START_ATTRIBUTES = 24;

/**
 * Attributes a span starts with: what a sampler may decide on. Names are written out at each place: V8 stores under a
 * constant name many times faster than through a common function.
 */
export function startAttributes(node: AnyNode, payload: Payload, options: AttributeOptions): Attributes {
  const attributes: Attributes = {};
  switch (node.kind) {
    case 'turn':
      attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'invoke_agent';
      attributes[semconv.ATTR_GEN_AI_AGENT_NAME] = options.agentName;
      setLabel(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL, payload.model);
      break;
    case 'child':
      attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'invoke_agent';
      attributes[semconv.ATTR_GEN_AI_AGENT_NAME] = label(node.role) ?? 'subagent';
      break;
    case 'request':
    case 'auxiliary':
      startRequest(attributes, node, payload);
      break;
    case 'tool': {
      attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'execute_tool';
      const name = label(node.name);
      if (name !== undefined) attributes[semconv.ATTR_GEN_AI_TOOL_NAME] = name;
      attributes[semconv.ATTR_GEN_AI_TOOL_TYPE] = 'function';
      break;
    }
  }
  return attributes;
}

function startRequest(attributes: Attributes, node: RequestNode, payload: Payload): void {
  attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'chat';
  const provider = providers.of(node.provider);
  if (provider !== undefined) attributes[semconv.ATTR_GEN_AI_PROVIDER_NAME] = provider;
  const model = models.of(node.model);
  if (model !== undefined) attributes[semconv.ATTR_GEN_AI_REQUEST_MODEL] = model;
  const { address, port } = serverOf(payload.base_url);
  if (address !== undefined) attributes[semconv.ATTR_SERVER_ADDRESS] = address;
  if (port !== undefined) attributes[semconv.ATTR_SERVER_PORT] = port;
}

/**
 * Adds what else the first record of a span says. Our provider takes it with the start; on any other it is set right
 * after: an SDK checks and copies attributes of a start three times, and later ones once.
 */
export function addDetails(attributes: Attributes, node: AnyNode, payload: Payload): void {
  const session = sessions.of(node.session);
  if (session !== undefined) attributes[semconv.ATTR_GEN_AI_CONVERSATION_ID] = session;
  const turnId = turns.of(node.turnId);
  if (turnId !== undefined) attributes[semconv.ATTR_HERMES_TURN_ID] = turnId;
  switch (node.kind) {
    case 'turn':
      setLabel(attributes, semconv.ATTR_HERMES_PLATFORM, payload.platform);
      setLabel(attributes, semconv.ATTR_HERMES_TASK_ID, node.invocation.task);
      attributes[semconv.ATTR_HERMES_TURN_KIND] = node.turnKind;
      break;
    case 'child':
      addChild(attributes, node);
      break;
    case 'request':
    case 'auxiliary':
      addRequest(attributes, node, payload);
      break;
    case 'tool': {
      const callId = label(node.callId);
      if (callId !== undefined) attributes[semconv.ATTR_GEN_AI_TOOL_CALL_ID] = callId;
      const requestId = requests.of(payload.api_request_id);
      if (requestId !== undefined) attributes[semconv.ATTR_HERMES_API_REQUEST_ID] = requestId;
      break;
    }
    case 'approval':
      setLabel(attributes, semconv.ATTR_HERMES_APPROVAL_SURFACE, node.surface);
      setLabel(attributes, semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY, node.patternKey);
      break;
    case 'human_input':
      setLabel(attributes, semconv.ATTR_HERMES_HUMAN_INPUT_KIND, node.inputKind);
      break;
  }
  if (node.parent === undefined) {
    const { producer, profile } = node.invocation;
    setLabel(attributes, semconv.ATTR_HERMES_PRODUCER, producer);
    setLabel(attributes, semconv.ATTR_HERMES_PROFILE, profile);
  }
  if (node.startMissing) attributes[semconv.ATTR_HERMES_START_MISSING] = true;
}

function addChild(attributes: Attributes, node: ChildNode): void {
  setLabel(attributes, semconv.ATTR_GEN_AI_AGENT_ID, node.agentId);
  setLabel(attributes, semconv.ATTR_HERMES_SUBAGENT_ROLE, node.role);
  setLabel(attributes, semconv.ATTR_HERMES_PARENT_SESSION_ID, node.parentSession);
  setLabel(attributes, semconv.ATTR_HERMES_PARENT_TURN_ID, node.parentTurn);
}

function addRequest(attributes: Attributes, node: RequestNode, payload: Payload): void {
  const { max_tokens, api_call_count } = payload;
  if (isCount(max_tokens)) attributes[semconv.ATTR_GEN_AI_REQUEST_MAX_TOKENS] = max_tokens;
  const requestId = requests.of(node.requestId);
  if (requestId !== undefined) attributes[semconv.ATTR_HERMES_API_REQUEST_ID] = requestId;
  if (isCount(api_call_count)) attributes[semconv.ATTR_HERMES_API_CALL_COUNT] = api_call_count;
  const mode = modes.of(payload.api_mode);
  if (mode !== undefined) attributes[semconv.ATTR_HERMES_API_MODE] = mode;
  if (node.kind === 'auxiliary') setLabel(attributes, semconv.ATTR_HERMES_AUX_TASK, node.auxTask);
}

/**
 * Sets what is known at the end on a span, one by one: an object in between would cost more than all of them. `payload`
 * is that of the record that ended the span, if one did.
 */
export function setEndAttributes(
  span: AttributeTarget,
  node: AnyNode,
  payload: Payload | undefined,
  options: AttributeOptions,
): void {
  switch (node.kind) {
    case 'turn':
      span.setAttribute(semconv.ATTR_HERMES_TURN_OUTCOME, node.outcome);
      putLabel(span, semconv.ATTR_HERMES_TURN_EXIT_REASON, exitReason(node.exitReason, options.capture));
      span.setAttribute(semconv.ATTR_HERMES_TURN_API_CALLS, node.invocation.apiCalls);
      span.setAttribute(semconv.ATTR_HERMES_TURN_TOOL_CALLS, node.invocation.toolCalls);
      break;
    case 'child':
      putLabel(span, semconv.ATTR_HERMES_SUBAGENT_STATUS, wordLabel(node.status, options.capture));
      break;
    case 'request':
    case 'auxiliary':
      endRequest(span, node, payload, options.capture);
      break;
    case 'tool':
      if (node.status !== undefined) span.setAttribute(semconv.ATTR_HERMES_TOOL_STATUS, node.status);
      if (node.blockedBy !== undefined) {
        span.setAttribute(semconv.ATTR_HERMES_TOOL_BLOCKED_BY, typeLabel(node.blockedBy, options.capture));
      }
      putAmount(span, semconv.ATTR_HERMES_TOOL_DURATION_MS, payload?.duration_ms);
      break;
    case 'approval':
      putLabel(span, semconv.ATTR_HERMES_APPROVAL_CHOICE, wordLabel(node.choice, options.capture));
      putLabel(span, semconv.ATTR_HERMES_APPROVAL_DECIDED_BY, wordLabel(node.decidedBy, options.capture));
      break;
    case 'human_input':
      putLabel(span, semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME, wordLabel(node.outcome, options.capture));
      break;
  }
  if (node.errorType !== undefined)
    span.setAttribute(semconv.ATTR_ERROR_TYPE, typeLabel(node.errorType, options.capture));
  if (node.incomplete !== undefined) {
    span.setAttribute(semconv.ATTR_HERMES_INCOMPLETE, true);
    span.setAttribute(semconv.ATTR_HERMES_INCOMPLETE_REASON, node.incomplete);
  }
}

function endRequest(span: AttributeTarget, node: RequestNode, payload: Payload | undefined, capture: Capture): void {
  span.setAttribute(semconv.ATTR_HERMES_API_ATTEMPTS, node.attempts);
  if (node.errorType !== undefined) {
    putCount(span, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE, node.failure?.statusCode);
    return;
  }
  if (payload === undefined) return;
  const model = responseModels.of(payload.response_model);
  if (model !== undefined) span.setAttribute(semconv.ATTR_GEN_AI_RESPONSE_MODEL, model);
  const reason = wordLabel(payload.finish_reason, capture);
  if (reason !== undefined) span.setAttribute(semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS, [reason]);
  if (!node.usageElsewhere) putUsage(span, payload.usage);
  const { first_chunk_at } = payload;
  if (node.attemptStart === undefined) return;
  if (node.attempts > 1 && node.end !== undefined) {
    const millis = millisBetween(node.attemptStart, node.end);
    putAmount(span, semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS, millis);
  }
  if (typeof first_chunk_at !== 'number') return;
  // Epoch seconds against the record of the attempt's start; both are the producer's clock.
  const seconds = first_chunk_at - node.attemptStart[0] - node.attemptStart[1] / 1e9;
  putAmount(span, semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK, Math.round(seconds * 1e6) / 1e6);
}
