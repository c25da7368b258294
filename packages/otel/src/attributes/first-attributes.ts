import type { Payload } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type { AnyNode, RequestNode, ToolNode } from '../assembly/span-node.js';
import type { AttributeOptions } from './attribute-options.js';
import type { Capture } from './capture.js';
import { idLabel } from './id-label.js';
import { phraseLabel } from './labels.js';
import { models, modes, providers, requests, sessions, turns } from './repeated-labels.js';
import * as semconv from './semconv.js';
import { serverOf } from './server.js';
import { detailAttributes, startAttributes } from './start-attributes.js';
import { isCount } from './values.js';

/** No span has more attributes than this from its first record, content left out. */
export const MOST_FIRST_ATTRIBUTES = 24;

/**
 * All that the first record of a span says, content left out: `startAttributes` and `detailAttributes` in one object. The
 * attributes that nearly every tool call and request have are written out here once more, for the sake of one literal;
 * whatever lacks one of them takes the long way.
 */
export function firstAttributes(node: AnyNode, payload: Payload, options: AttributeOptions): Attributes {
  if (node.parent !== undefined && !node.startMissing) {
    let usual: Attributes | undefined;
    if (node.kind === 'tool') usual = usualTool(node, payload, options.capture);
    else if (node.kind === 'request') usual = usualRequest(node, payload, options.capture);
    if (usual !== undefined) return usual;
  }
  const attributes = startAttributes(node, payload, options);
  const details = detailAttributes(node, payload, options);
  for (const name in details) if (details[name] !== undefined) attributes[name] = details[name];
  return attributes;
}

function usualTool(node: ToolNode, payload: Payload, capture: Capture): Attributes | undefined {
  const session = sessions.of(node.session, capture);
  const turnId = turns.of(node.turnId, capture);
  const name = phraseLabel(node.name, capture);
  const callId = idLabel(node.callId, capture);
  const requestId = requests.of(payload.api_request_id, capture, turnId === node.turnId ? turnId : undefined);
  if (session === undefined || turnId === undefined || name === undefined) return undefined;
  if (callId === undefined || requestId === undefined) return undefined;
  return {
    [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
    [semconv.ATTR_GEN_AI_TOOL_NAME]: name,
    [semconv.ATTR_GEN_AI_TOOL_TYPE]: 'function',
    [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
    [semconv.ATTR_HERMES_TURN_ID]: turnId,
    [semconv.ATTR_GEN_AI_TOOL_CALL_ID]: callId,
    [semconv.ATTR_HERMES_API_REQUEST_ID]: requestId,
  };
}

function usualRequest(node: RequestNode, payload: Payload, capture: Capture): Attributes | undefined {
  const session = sessions.of(node.session, capture);
  const turnId = turns.of(node.turnId, capture);
  const provider = providers.of(node.provider, capture);
  const model = models.of(node.model, capture);
  const { address, port } = serverOf(payload.base_url);
  const requestId = requests.of(node.requestId, capture, turnId === node.turnId ? turnId : undefined);
  const mode = modes.of(payload.api_mode, capture);
  const { max_tokens, api_call_count } = payload;
  if (session === undefined || turnId === undefined || provider === undefined || model === undefined) return undefined;
  if (address === undefined || port !== undefined || requestId === undefined || mode === undefined) return undefined;
  if (!isCount(api_call_count)) return undefined;
  // A literal for each: a name more than the literal has costs a second object.
  return isCount(max_tokens)
    ? {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
        [semconv.ATTR_GEN_AI_PROVIDER_NAME]: provider,
        [semconv.ATTR_GEN_AI_REQUEST_MODEL]: model,
        [semconv.ATTR_SERVER_ADDRESS]: address,
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_HERMES_API_REQUEST_ID]: requestId,
        [semconv.ATTR_HERMES_API_CALL_COUNT]: api_call_count,
        [semconv.ATTR_HERMES_API_MODE]: mode,
        [semconv.ATTR_GEN_AI_REQUEST_MAX_TOKENS]: max_tokens,
      }
    : {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
        [semconv.ATTR_GEN_AI_PROVIDER_NAME]: provider,
        [semconv.ATTR_GEN_AI_REQUEST_MODEL]: model,
        [semconv.ATTR_SERVER_ADDRESS]: address,
        [semconv.ATTR_GEN_AI_CONVERSATION_ID]: session,
        [semconv.ATTR_HERMES_TURN_ID]: turnId,
        [semconv.ATTR_HERMES_API_REQUEST_ID]: requestId,
        [semconv.ATTR_HERMES_API_CALL_COUNT]: api_call_count,
        [semconv.ATTR_HERMES_API_MODE]: mode,
      };
}
