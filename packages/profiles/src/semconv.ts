/**
 * Names of ours that spans get from a profile. What profiles read stands in `semconv` of `@hermes-observer/otel`, what they
 * write in the table of each.
 */

/** int, attributes | How many attributes a profile left out of a span that has as many as it may. */
export const ATTR_HERMES_EXPORT_LEFT_OUT_ATTRIBUTES = 'hermes.export.left_out_attributes';
/** string | Id of the child agent, where `gen_ai.agent.id` no longer means that. */
export const ATTR_HERMES_SUBAGENT_ID = 'hermes.subagent.id';

// Read where they are there: costs that another package puts on.
export const ATTR_HERMES_COST_USD = 'hermes.cost.usd';
export const ATTR_HERMES_COST_INPUT_USD = 'hermes.cost.input_usd';
export const ATTR_HERMES_COST_OUTPUT_USD = 'hermes.cost.output_usd';
export const ATTR_HERMES_COST_STATUS = 'hermes.cost.status';

// Read where an application puts them on, or spans of other instrumentations have them.
export const ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS = 'gen_ai.usage.cache_write.input_tokens';
export const ATTR_GEN_AI_TOOL_DESCRIPTION = 'gen_ai.tool.description';
