import type { TraceRow } from '../traces/trace-row.js';

const isLive = ({ duration }: TraceRow) => duration === null;

/** Live ones first, then the newest. */
export function compareRows(a: TraceRow, b: TraceRow): number {
  if (isLive(a) !== isLive(b)) return isLive(a) ? -1 : 1;
  if (a.start !== b.start) {
    const gap = Number(b.start) - Number(a.start);
    // Far apart, numbers are exact enough; near to each other, texts of one length are.
    return gap !== 0 ? gap : a.start < b.start ? 1 : -1;
  }
  return a.trace < b.trace ? -1 : 1;
}

/**
 * Rows with what came in: changed ones in place of the old, new ones where they belong.
 * @param hasMore the source has older ones than these, which come with their page
 */
export function mergeRows(rows: readonly TraceRow[], changed: readonly TraceRow[], hasMore: boolean): TraceRow[] {
  const byTrace = new Map(rows.map((row) => [row.trace, row]));
  const oldest = hasMore ? rows.at(-1) : undefined;
  for (const row of changed) {
    const isBeyond = oldest !== undefined && !byTrace.has(row.trace) && compareRows(row, oldest) > 0;
    if (!isBeyond) byTrace.set(row.trace, row);
  }
  return [...byTrace.values()].sort(compareRows);
}
