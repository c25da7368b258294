import type { SpanLimits } from '../sdk/types.js';

const DEFAULT_COUNT = 128;

/** All limits of a span, with the SDK's defaults: 128 of each kind, values of any length. */
export function resolveLimits(limits: SpanLimits = {}): Required<SpanLimits> {
  const length = limits.attributeValueLengthLimit;
  return {
    attributeCountLimit: limits.attributeCountLimit ?? DEFAULT_COUNT,
    // A limit that is not positive is no limit, as in the SDK.
    attributeValueLengthLimit: length !== undefined && length > 0 ? length : Number.POSITIVE_INFINITY,
    eventCountLimit: limits.eventCountLimit ?? DEFAULT_COUNT,
    linkCountLimit: limits.linkCountLimit ?? DEFAULT_COUNT,
    attributePerEventCountLimit: limits.attributePerEventCountLimit ?? DEFAULT_COUNT,
    attributePerLinkCountLimit: limits.attributePerLinkCountLimit ?? DEFAULT_COUNT,
  };
}
