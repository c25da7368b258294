/** The attributes of costs, in one place. Comments are as in the `semconv.ts` of the otel package, and end in the same page. */

/** chat | double, USD | hermes | What the request cost: input and output. Absent where the status is `unknown`. */
export const ATTR_HERMES_COST_USD = 'hermes.cost.usd';
/** chat | double, USD | hermes | The part for the input, what was read from a cache or written to one included. */
export const ATTR_HERMES_COST_INPUT_USD = 'hermes.cost.input_usd';
/** chat | double, USD | hermes | The part for the output, reasoning included. */
export const ATTR_HERMES_COST_OUTPUT_USD = 'hermes.cost.output_usd';
/** chat | string | hermes | Where the price is from: `genai-prices`, or `table` for one of your own. */
export const ATTR_HERMES_COST_SOURCE = 'hermes.cost.source';
/** chat | string | hermes | Version of that list of prices. */
export const ATTR_HERMES_COST_VERSION = 'hermes.cost.version';
/** chat | string | hermes | `exact`, `estimated`, or `unknown`: no price or no usage is known, and no cost is told. */
export const ATTR_HERMES_COST_STATUS = 'hermes.cost.status';
