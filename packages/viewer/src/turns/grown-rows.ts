import type { TurnRow } from '../api/turn-row.js';
import { HEIGHT } from './row-height.js';

/** By how much rows are higher than others, px, by trace: those whose words take another line on a narrow screen. */
export type GrownRows = ReadonlyMap<string, number>;

export const NONE_GROWN: GrownRows = new Map();

/** What is so now of those that are drawn, and was so of the others. @returns `before` itself where nothing changed */
export function grownRows(before: GrownRows, grid: Element | null, rows: readonly TurnRow[]): GrownRows {
  let now: Map<string, number> | undefined;
  for (const line of grid?.querySelectorAll<HTMLElement>('[data-index]') ?? []) {
    const trace = rows[Number(line.dataset.index)]?.trace;
    const cells = line.querySelector<HTMLElement>('.turn-cells');
    if (trace === undefined || cells === null) continue;
    const more = Math.max(0, cells.offsetHeight + 1 - HEIGHT.narrow.row);
    if (more === (before.get(trace) ?? 0)) continue;
    now ??= new Map(before);
    now.set(trace, more);
  }
  return now ?? before;
}
