/**
 * Names that metrics and log records have beside those of spans, in one place. From the GenAI semantic conventions v0.1.0
 * (development), the core conventions, and our own (`hermes.*`).
 */

/** Kind of tokens; what providers report does not say it. */
export const ATTR_GEN_AI_TOKEN_MODALITY = 'gen_ai.token.modality';
export const TOKEN_MODALITY_UNKNOWN = 'unknown';

/** Put on by `@hermes-observer/cost`. */
export const ATTR_HERMES_COST_USD = 'hermes.cost.usd';
export const ATTR_HERMES_COST_STATUS = 'hermes.cost.status';

/** Stands alone on the series that takes what is over the cap, as the SDK's own does. */
export const ATTR_OTEL_METRIC_OVERFLOW = 'otel.metric.overflow';

export const ATTR_EXCEPTION_TYPE = 'exception.type';

export const EVENT_GEN_AI_INFERENCE_DETAILS = 'gen_ai.client.inference.operation.details';
export const EVENT_GEN_AI_INFERENCE_EXCEPTION = 'gen_ai.client.inference.exception';
export const EVENT_GEN_AI_EXECUTE_TOOL_EXCEPTION = 'gen_ai.execute_tool.exception';
export const EVENT_GEN_AI_EVALUATION_RESULT = 'gen_ai.evaluation.result';
export const EVENT_HERMES_INVOKE_AGENT_EXCEPTION = 'hermes.invoke_agent.exception';
export const EVENT_HERMES_API_ATTEMPT_FAILED = 'hermes.api.attempt_failed';
export const EVENT_HERMES_APPROVAL = 'hermes.approval';
export const EVENT_HERMES_POLICY_DECISION = 'hermes.policy.decision';

export const ATTR_GEN_AI_EVALUATION_NAME = 'gen_ai.evaluation.name';
export const ATTR_GEN_AI_EVALUATION_SCORE_VALUE = 'gen_ai.evaluation.score.value';
export const ATTR_GEN_AI_EVALUATION_SCORE_LABEL = 'gen_ai.evaluation.score.label';
/** Content. */
export const ATTR_GEN_AI_EVALUATION_EXPLANATION = 'gen_ai.evaluation.explanation';
export const ATTR_GEN_AI_RESPONSE_ID = 'gen_ai.response.id';
