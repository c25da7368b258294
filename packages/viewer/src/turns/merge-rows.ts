import type { TurnRow } from '../api/turn-row.js';

const isLive = (row: TurnRow) => row.duration === null;

/** Live ones first, then the newest. */
export function compareRows(a: TurnRow, b: TurnRow): number {
  if (isLive(a) !== isLive(b)) return isLive(a) ? -1 : 1;
  const gap = Number(b.start) - Number(a.start);
  return gap !== 0 ? gap : a.trace < b.trace ? -1 : 1;
}

/**
 * Rows with what came in: changed ones in place of the old, new ones where they belong.
 * @param horizon start of the oldest row that is loaded while the service has older ones: what is older comes with its page
 */
export function mergeRows(rows: readonly TurnRow[], changed: readonly TurnRow[], horizon?: string): TurnRow[] {
  const byTrace = new Map(rows.map((row) => [row.trace, row]));
  for (const row of changed) {
    const isBeyond =
      horizon !== undefined && !byTrace.has(row.trace) && !isLive(row) && Number(row.start) < Number(horizon);
    if (!isBeyond) byTrace.set(row.trace, row);
  }
  return [...byTrace.values()].sort(compareRows);
}
