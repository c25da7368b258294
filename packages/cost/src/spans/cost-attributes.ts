import type { ReadableSpan } from '@hermes-observer/otel';
import type { CostCalculator } from '../cost-calculator.js';
import {
  ATTR_HERMES_COST_INPUT_USD,
  ATTR_HERMES_COST_OUTPUT_USD,
  ATTR_HERMES_COST_SOURCE,
  ATTR_HERMES_COST_STATUS,
  ATTR_HERMES_COST_USD,
  ATTR_HERMES_COST_VERSION,
} from '../semconv.js';
import { chatRequestOf } from './chat-request.js';

/** What a span gets; `undefined` for spans that are no request to a model, and for those that have a cost already. */
export function costAttributes(
  attributes: ReadableSpan['attributes'],
  startTime: ReadableSpan['startTime'],
  calculator: CostCalculator,
): ReadableSpan['attributes'] | undefined {
  const request = chatRequestOf(attributes, startTime);
  if (request === undefined || attributes[ATTR_HERMES_COST_STATUS] !== undefined) return undefined;
  const cost = calculator.costOf(request);
  if (cost.status === 'unknown') return { [ATTR_HERMES_COST_STATUS]: cost.status };
  return {
    [ATTR_HERMES_COST_USD]: cost.usd,
    [ATTR_HERMES_COST_INPUT_USD]: cost.inputUsd,
    [ATTR_HERMES_COST_OUTPUT_USD]: cost.outputUsd,
    [ATTR_HERMES_COST_SOURCE]: cost.source,
    [ATTR_HERMES_COST_VERSION]: cost.version,
    [ATTR_HERMES_COST_STATUS]: cost.status,
  };
}
