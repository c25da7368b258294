import type { Payload } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type { AnyNode, RequestNode } from '../assembly/span-node.js';
import type { AttributeOptions } from './attribute-options.js';
import type { Capture } from './capture.js';
import { idLabel } from './id-label.js';
import { nameLabel, phraseLabel } from './labels.js';
import { models, modes, providers, requests, sessions, turns } from './repeated-labels.js';
import * as semconv from './semconv.js';
import { serverOf } from './server.js';
import { countOf, setLabel } from './values.js';

/**
 * Attributes a span starts with: what a sampler may decide on. Objects are written out whole where they can be: V8 makes
 * one from a literal in a step, and lets it grow name by name at many times the cost.
 */
export function startAttributes(node: AnyNode, payload: Payload, options: AttributeOptions): Attributes {
  const { capture } = options;
  switch (node.kind) {
    case 'turn': {
      const attributes: Attributes = {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
        [semconv.ATTR_GEN_AI_AGENT_NAME]: options.agentName,
      };
      setLabel(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL, nameLabel(payload.model, capture));
      return attributes;
    }
    case 'child':
      return {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
        [semconv.ATTR_GEN_AI_AGENT_NAME]: phraseLabel(node.role, capture) ?? 'subagent',
      };
    case 'request':
    case 'auxiliary':
      return startOfRequest(node, payload, capture);
    case 'tool': {
      const name = phraseLabel(node.name, capture);
      return name === undefined
        ? { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool', [semconv.ATTR_GEN_AI_TOOL_TYPE]: 'function' }
        : {
            [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
            [semconv.ATTR_GEN_AI_TOOL_NAME]: name,
            [semconv.ATTR_GEN_AI_TOOL_TYPE]: 'function',
          };
    }
    default:
      return {};
  }
}

function startOfRequest(node: RequestNode, payload: Payload, capture: Capture): Attributes {
  const provider = providers.of(node.provider, capture);
  const model = models.of(node.model, capture);
  const { address, port } = serverOf(payload.base_url);
  if (provider !== undefined && model !== undefined && address !== undefined && port === undefined) {
    return {
      [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [semconv.ATTR_GEN_AI_PROVIDER_NAME]: provider,
      [semconv.ATTR_GEN_AI_REQUEST_MODEL]: model,
      [semconv.ATTR_SERVER_ADDRESS]: address,
    };
  }
  const attributes: Attributes = { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'chat' };
  if (provider !== undefined) attributes[semconv.ATTR_GEN_AI_PROVIDER_NAME] = provider;
  if (model !== undefined) attributes[semconv.ATTR_GEN_AI_REQUEST_MODEL] = model;
  if (address !== undefined) attributes[semconv.ATTR_SERVER_ADDRESS] = address;
  if (port !== undefined) attributes[semconv.ATTR_SERVER_PORT] = port;
  return attributes;
}

/**
 * What else the first record of a span says; what it does not is `undefined`, which a span passes over. Our provider
 * takes it with the start; on any other it is set right after: an SDK checks and copies attributes of a start three
 * times, and later ones once.
 */
export function detailAttributes(node: AnyNode, payload: Payload, { capture }: AttributeOptions): Attributes {
  const attributes = detailsOf(node, payload, capture);
  if (node.parent === undefined) {
    const { producer, profile } = node.invocation;
    setLabel(attributes, semconv.ATTR_HERMES_PRODUCER, idLabel(producer, capture));
    setLabel(attributes, semconv.ATTR_HERMES_PROFILE, nameLabel(profile, capture));
  }
  if (node.startMissing) attributes[semconv.ATTR_HERMES_START_MISSING] = true;
  return attributes;
}

function detailsOf(node: AnyNode, payload: Payload, capture: Capture): Attributes {
  const session = sessions.of(node.session, capture);
  const turnId = turns.of(node.turnId, capture);
  switch (node.kind) {
    case 'turn':
      return {
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_HERMES_PLATFORM]: nameLabel(payload.platform, capture),
        [semconv.ATTR_HERMES_TASK_ID]: idLabel(node.invocation.task, capture),
        [semconv.ATTR_HERMES_TURN_KIND]: node.turnKind,
      };
    case 'child':
      return {
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_GEN_AI_AGENT_ID]: idLabel(node.agentId, capture),
        [semconv.ATTR_HERMES_SUBAGENT_ROLE]: phraseLabel(node.role, capture),
        [semconv.ATTR_HERMES_PARENT_SESSION_ID]: idLabel(node.parentSession, capture),
        [semconv.ATTR_HERMES_PARENT_TURN_ID]: idLabel(node.parentTurn, capture),
      };
    case 'request':
    case 'auxiliary': {
      const attributes: Attributes = {
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_GEN_AI_REQUEST_MAX_TOKENS]: countOf(payload.max_tokens),
        [semconv.ATTR_HERMES_API_REQUEST_ID]: requests.of(
          node.requestId,
          capture,
          turnId === node.turnId ? turnId : undefined,
        ),
        [semconv.ATTR_HERMES_API_CALL_COUNT]: countOf(payload.api_call_count),
        [semconv.ATTR_HERMES_API_MODE]: modes.of(payload.api_mode, capture),
      };
      if (node.kind === 'auxiliary')
        setLabel(attributes, semconv.ATTR_HERMES_AUX_TASK, nameLabel(node.auxTask, capture));
      return attributes;
    }
    case 'tool':
      return {
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_GEN_AI_TOOL_CALL_ID]: idLabel(node.callId, capture),
        [semconv.ATTR_HERMES_API_REQUEST_ID]: requests.of(
          payload.api_request_id,
          capture,
          turnId === node.turnId ? turnId : undefined,
        ),
      };
    case 'approval':
      return {
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_GEN_AI_TOOL_CALL_ID]: idLabel(node.callId, capture),
        [semconv.ATTR_HERMES_APPROVAL_SURFACE]: nameLabel(node.surface, capture),
        [semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY]: phraseLabel(node.patternKey, capture),
        [semconv.ATTR_HERMES_APPROVAL_REQUEST_ID]: idLabel(payload.request_id, capture),
        [semconv.ATTR_HERMES_APPROVAL_REQUEST_DIGEST]: idLabel(payload.request_digest, capture),
        [semconv.ATTR_HERMES_APPROVAL_DECISION_ID]: idLabel(payload.decision_id, capture),
      };
    case 'human_input':
      return {
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_HERMES_HUMAN_INPUT_KIND]: nameLabel(node.inputKind, capture),
      };
  }
}
