/** Attributes of costs, which another package puts on spans. */
export const ATTR_HERMES_COST_USD = 'hermes.cost.usd';
