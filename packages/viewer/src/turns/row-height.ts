import type { TurnRow } from '../api/turn-row.js';

/** Heights of the parts of a row, px; `style/turns.css` has the same numbers. */
export const HEIGHT = {
  wide: { row: 52, blocked: 26, more: 20 },
  narrow: { row: 92, blocked: 46, more: 20 },
} as const;

export function rowHeight({ blocked, blockedCalls, waitingCalls }: TurnRow, isNarrow: boolean): number {
  const height = isNarrow ? HEIGHT.narrow : HEIGHT.wide;
  const lines = blockedCalls.length + waitingCalls.length;
  if (lines === 0) return height.row;
  const more = blocked > blockedCalls.length ? height.more : 0;
  return height.row + lines * height.blocked + more + 8;
}
