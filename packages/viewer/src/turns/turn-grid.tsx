import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { TurnRow } from '../api/turn-row.js';
import { rowAfterKey } from '../grid/keys.js';
import { useScroll } from '../grid/use-scroll.js';
import { unevenRows } from '../grid/window.js';
import { turnPath } from '../route/route.js';
import { navigate } from '../route/router.js';
import { isNarrow } from '../ui/media.js';
import { type GrownRows, grownRows, NONE_GROWN } from './grown-rows.js';
import { rowHeight } from './row-height.js';
import { TurnLine } from './turn-line.js';

/** Height of the column heads, px; none where rows take more lines. */
const HEAD = 32;
/** The next page is asked for so many rows before the end. */
const AHEAD = 60;
const COLUMNS = [
  'Outcome',
  'Turn',
  'Started',
  'Took',
  'Tokens in / cached / out',
  'Tools',
  'Errors',
  'Blocked',
  'Children',
];

/** The list: one Tab stop, arrows inside. Focus stays on the list, which says which row is meant: rows come and go. */
export function TurnGrid({ rows, onEnd }: { rows: readonly TurnRow[]; onEnd: () => void }) {
  const narrow = isNarrow.value;
  const [grown, setGrown] = useState<GrownRows>(NONE_GROWN);
  const heights = useMemo(
    () => unevenRows(rows.map((row) => rowHeight(row, narrow) + (narrow ? (grown.get(row.trace) ?? 0) : 0))),
    [rows, narrow, grown],
  );
  const { ref, window, height, onScroll, reveal } = useScroll(heights, narrow ? 0 : HEAD);
  const [activeTrace, setActiveTrace] = useState<string | undefined>();
  const active = activeTrace === undefined ? -1 : rows.findIndex(({ trace }) => trace === activeTrace);
  // Where words wrap is known when they are drawn.
  useLayoutEffect(() => {
    if (narrow && ref.current !== null) setGrown((before) => grownRows(before, ref.current, rows));
  });
  const isNearEnd = window.end > rows.length - AHEAD;
  useEffect(() => {
    if (isNearEnd && rows.length > 0) onEnd();
  }, [isNearEnd, rows]);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  const today = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const lines = [];
  for (let index = window.first; index < window.end; index++) {
    const row = rows[index];
    if (row === undefined) continue;
    const top = heights.top(index);
    lines.push(
      <TurnLine
        key={row.trace}
        row={row}
        index={index}
        top={top}
        height={heights.top(index + 1) - top}
        isActive={index === active}
        today={today}
      />,
    );
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    if (event.key === 'Enter' && row !== undefined) return navigate(turnPath(row.trace));
    const next = rowAfterKey(event.key, active, rows.length, Math.floor(height / heights.top(1)));
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setActiveTrace(rows[next]?.trace);
    reveal(next);
  };
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    if (target.closest('a') !== null || event.button !== 0) return;
    const row = rows[Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1)];
    if (row !== undefined && getSelection()?.isCollapsed !== false) navigate(turnPath(row.trace));
  };
  const isDrawn = active >= window.first && active < window.end;
  return (
    <div
      class="turn-grid"
      ref={ref}
      role="grid"
      tabIndex={0}
      aria-label="Turns, the newest first"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={isDrawn ? `turn-${active}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div role="rowgroup" class="turn-heads">
        <div role="row" aria-rowindex={1} class="turn-cells">
          {COLUMNS.map((name, index) => (
            <span key={name} role="columnheader" class={index > 2 ? 'number' : ''}>
              {name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${heights.top(rows.length)}px` }}>
        {lines}
      </div>
    </div>
  );
}
