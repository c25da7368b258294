import { ATTR_HERMES_COST_STATUS, ATTR_HERMES_COST_USD } from '@hermes-observer/cost/semconv';
import type { CostSum as WireCost } from '../wire.js';
import { counted } from './amount.js';
import { type Piece, piece } from './piece.js';
import { numberOf, type RowAttributes, textOf } from './span-row.js';

/** What requests cost together, in USD. */
export class CostSum {
  /** Requests that say what they cost, or that nobody knows. */
  requests = 0;
  unknown = 0;
  estimated = 0;
  usd = 0;

  add(attributes: RowAttributes): void {
    const status = textOf(attributes, ATTR_HERMES_COST_STATUS);
    if (status === undefined) return;
    const usd = numberOf(attributes, ATTR_HERMES_COST_USD);
    this.requests++;
    if (usd === undefined) this.unknown++;
    else if (status !== 'exact') this.estimated++;
    this.usd += usd ?? 0;
  }

  include(other: CostSum): void {
    this.requests += other.requests;
    this.unknown += other.unknown;
    this.estimated += other.estimated;
    this.usd += other.usd;
  }

  parts(): Piece[] {
    const { requests, unknown, estimated, usd } = this;
    return costParts({ usd: requests > unknown ? usd : null, isEstimated: estimated > 0, unknown });
  }
}

/** `$0.0123`, `about $0.0123`, and how many requests are not in it. */
export function costParts({ usd, isEstimated, unknown }: WireCost): Piece[] {
  const parts = usd === null ? [] : [piece(`${isEstimated ? 'about ' : ''}${formatUsd(usd)}`)];
  if (unknown > 0) parts.push(piece(`cost of ${counted(unknown, 'request')} unknown`, 'dim'));
  return parts;
}

/** Four digits that count: `$0.001234`, `$1.235`; from a thousand dollars on, cents. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  const digits = Math.min(12, Math.max(2, 3 - Math.floor(Math.log10(usd))));
  return `$${usd.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}
