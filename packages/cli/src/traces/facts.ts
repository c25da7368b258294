import { ATTR_HERMES_COST_STATUS, ATTR_HERMES_COST_USD } from '@hermes-observer/cost/semconv';
import { semconv } from '@hermes-observer/otel';

const NAMES = [
  ATTR_HERMES_COST_STATUS,
  ATTR_HERMES_COST_USD,
  semconv.ATTR_ERROR_TYPE,
  semconv.ATTR_GEN_AI_AGENT_NAME,
  semconv.ATTR_GEN_AI_CONVERSATION_ID,
  semconv.ATTR_GEN_AI_OPERATION_NAME,
  semconv.ATTR_GEN_AI_REQUEST_MODEL,
  semconv.ATTR_GEN_AI_TOOL_NAME,
  semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  semconv.ATTR_HERMES_API_ATTEMPTS,
  semconv.ATTR_HERMES_APPROVAL_CHOICE,
  semconv.ATTR_HERMES_APPROVAL_DECIDED_BY,
  semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY,
  semconv.ATTR_HERMES_APPROVAL_SURFACE,
  semconv.ATTR_HERMES_AUX_TASK,
  semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME,
  semconv.ATTR_HERMES_INCOMPLETE,
  semconv.ATTR_HERMES_INCOMPLETE_REASON,
  semconv.ATTR_HERMES_PARENT_SESSION_ID,
  semconv.ATTR_HERMES_SUBAGENT_ROLE,
  semconv.ATTR_HERMES_SUBAGENT_STATUS,
  semconv.ATTR_HERMES_TOOL_BLOCKED_BY,
  semconv.ATTR_HERMES_TOOL_STATUS,
  semconv.ATTR_HERMES_TURN_ID,
  semconv.ATTR_HERMES_TURN_KIND,
  semconv.ATTR_HERMES_TURN_OUTCOME,
  semconv.ATTR_HTTP_RESPONSE_STATUS_CODE,
] as const;

export type FactName = (typeof NAMES)[number];

/** The attributes that rows, kinds and flags of spans are made of: few, short, and asked for of every span. */
export type Facts = { readonly [Name in FactName]?: unknown };

/** All with their places, so that to set one does not make another shape of object. */
export const NO_FACTS = Object.fromEntries(NAMES.map((name) => [name, undefined])) as Facts;

export const isFact = (name: string): name is FactName => FACT_NAMES.has(name);

const FACT_NAMES: ReadonlySet<string> = new Set<FactName>(NAMES);
