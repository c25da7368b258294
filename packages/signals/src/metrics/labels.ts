import { semconv } from '@hermes-observer/otel';
import { ATTR_GEN_AI_TOKEN_MODALITY, ATTR_HERMES_COST_STATUS } from '../semconv.js';

/**
 * Which attributes of a span become labels of which metrics. Nothing else does: no session, turn, user, task or call id, no
 * text. What is in no list cannot get into a metric.
 */
const INFERENCE = [
  semconv.ATTR_GEN_AI_OPERATION_NAME,
  semconv.ATTR_GEN_AI_PROVIDER_NAME,
  semconv.ATTR_GEN_AI_REQUEST_MODEL,
  semconv.ATTR_GEN_AI_RESPONSE_MODEL,
  semconv.ATTR_SERVER_ADDRESS,
  semconv.ATTR_SERVER_PORT,
] as const;

const AGENT = [
  semconv.ATTR_GEN_AI_OPERATION_NAME,
  semconv.ATTR_GEN_AI_AGENT_NAME,
  semconv.ATTR_GEN_AI_REQUEST_MODEL,
  semconv.ATTR_ERROR_TYPE,
] as const;

export const LABELS = {
  inference: INFERENCE,
  operation: [...INFERENCE, semconv.ATTR_ERROR_TYPE],
  usage: [...INFERENCE, ATTR_GEN_AI_TOKEN_MODALITY],
  cost: [...INFERENCE, ATTR_HERMES_COST_STATUS],
  attempt: [
    semconv.ATTR_GEN_AI_PROVIDER_NAME,
    semconv.ATTR_GEN_AI_REQUEST_MODEL,
    semconv.ATTR_ERROR_TYPE,
    semconv.ATTR_HTTP_RESPONSE_STATUS_CODE,
  ],
  tool: [
    semconv.ATTR_GEN_AI_OPERATION_NAME,
    semconv.ATTR_GEN_AI_TOOL_NAME,
    semconv.ATTR_GEN_AI_TOOL_TYPE,
    semconv.ATTR_GEN_AI_AGENT_NAME,
    semconv.ATTR_ERROR_TYPE,
    semconv.ATTR_HERMES_TOOL_STATUS,
  ],
  blocked: [semconv.ATTR_GEN_AI_TOOL_NAME, semconv.ATTR_GEN_AI_AGENT_NAME, semconv.ATTR_HERMES_TOOL_BLOCKED_BY],
  agent: AGENT,
  turn: [
    semconv.ATTR_GEN_AI_AGENT_NAME,
    semconv.ATTR_HERMES_PLATFORM,
    semconv.ATTR_HERMES_TURN_KIND,
    semconv.ATTR_HERMES_TURN_OUTCOME,
  ],
  subagent: [semconv.ATTR_GEN_AI_AGENT_NAME, semconv.ATTR_HERMES_SUBAGENT_STATUS],
  approval: [
    semconv.ATTR_HERMES_APPROVAL_SURFACE,
    semconv.ATTR_HERMES_APPROVAL_CHOICE,
    semconv.ATTR_HERMES_APPROVAL_DECIDED_BY,
  ],
  humanInput: [semconv.ATTR_HERMES_HUMAN_INPUT_KIND, semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME],
  policy: [
    semconv.ATTR_HERMES_POLICY_GATE,
    semconv.ATTR_HERMES_POLICY_OUTCOME,
    semconv.ATTR_HERMES_POLICY_KIND,
    semconv.ATTR_HERMES_POLICY_MODE,
  ],
  incomplete: [semconv.ATTR_GEN_AI_OPERATION_NAME, semconv.ATTR_HERMES_INCOMPLETE_REASON],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type LabelList = keyof typeof LABELS;
