export { type ChatRequest, type Cost, CostCalculator, type CostOptions } from './cost-calculator.js';
export type { PriceEntry, PriceTier } from './prices/price-table.js';
export type { TokenCounts } from './prices/rates.js';
export { CostSpanProcessor } from './spans/cost-span-processor.js';
export { spanWithCost, withCost } from './spans/with-cost.js';
