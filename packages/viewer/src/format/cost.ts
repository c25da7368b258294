import type { CostSum } from '../api/turn-row.js';
import { counted } from './amount.js';

/** Four digits that count: `$0.001234`, `$1.235`; from a thousand dollars on, cents. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  const digits = Math.min(12, Math.max(2, 3 - Math.floor(Math.log10(usd))));
  return `$${usd.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** `$0.0123`, `about $0.0123, cost of 1 request unknown`. */
export function costText({ usd, isEstimated, unknown }: CostSum): string {
  const parts = usd === null ? [] : [`${isEstimated ? 'about ' : ''}${formatUsd(usd)}`];
  if (unknown > 0) parts.push(`cost of ${counted(unknown, 'request')} unknown`);
  return parts.join(', ');
}
