import { useEffect, useMemo } from 'preact/hooks';
import { useScroll } from '../grid/use-scroll.js';
import { evenRows } from '../grid/window.js';
import { useClock } from '../ui/clock.js';
import { isNarrow } from '../ui/media.js';
import { SpanRow } from './span-row.js';
import { ticksOf } from './time-scale.js';
import { useTreeKeys } from './tree-keys.js';
import type { TreeState } from './tree-state.js';
import type { TurnModel } from './turn-model.js';

/** Heights, px; `style/tree.css` has the same numbers. */
const ROW = 28;
const NARROW_ROW = 48;
const HEAD = 28;

export interface SpanGridProps {
  readonly model: TurnModel;
  readonly state: TreeState;
  /** Span whose details are open, -1 for none. */
  readonly open: number;
  readonly onOpen: (span: number) => void;
  readonly onClose: () => void;
}

/** Tree and waterfall in one. One Tab stop: focus stays on the grid, which says which row is meant, as rows come and go. */
export function SpanGrid({ model, state, open, onOpen, onClose }: SpanGridProps) {
  const height = isNarrow.value ? NARROW_ROW : ROW;
  const visible = state.visible.value;
  const rows = useMemo(() => evenRows(visible.length, height), [visible.length, height]);
  const { ref, window, height: seen, onScroll, reveal } = useScroll(rows, HEAD);
  const scale = state.scale.value;
  const active = state.active.value;
  const activeRow = state.rowOf.value[active] ?? -1;
  const reveals = state.reveals.value;
  useEffect(() => {
    if (activeRow >= 0) reveal(activeRow);
  }, [reveals]);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  const onKeyDown = useTreeKeys({ model, state, page: Math.floor(seen / height), onOpen, onClose });

  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    if (target.closest('a') !== null) return;
    const span = Number(target.closest<HTMLElement>('[data-span]')?.dataset.span ?? -1);
    if (span < 0 || event.button !== 0) return;
    state.active.value = span;
    if (target.closest('[data-toggle="true"]') !== null) state.toggle(span);
    else onOpen(span);
  };
  const onDblClick = (event: MouseEvent) => {
    const span = Number((event.target as Element).closest<HTMLElement>('[data-span]')?.dataset.span ?? -1);
    if (span >= 0) state.toggle(span);
  };
  // A row that leaves at one end is the one that comes in at the other: the browser makes no new elements.
  const slots = window.end - window.first;
  const lines = [];
  for (let row = window.first; row < window.end; row++) {
    const span = visible[row] ?? 0;
    lines.push(
      <SpanRow
        key={row % Math.max(slots, 1)}
        model={model}
        span={span}
        row={row}
        top={row * height}
        scale={scale}
        isFolded={state.folded.value.has(span)}
        isActive={span === active}
        isOpen={span === open}
      />,
    );
  }
  const isDrawn = activeRow >= window.first && activeRow < window.end;
  const ticks = ticksOf(scale, isNarrow.value ? 3 : 6);
  return (
    <div
      class="span-grid"
      ref={ref}
      role="treegrid"
      tabIndex={0}
      aria-label="Spans of the turn"
      aria-rowcount={visible.length + 1}
      aria-activedescendant={isDrawn ? `span-${activeRow}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onDblClick={onDblClick}
    >
      {model.isRunning && <Growth model={model} state={state} />}
      <div role="rowgroup" class="span-heads">
        <div role="row" aria-rowindex={1} class="span-head">
          <span role="columnheader">Span</span>
          <span role="columnheader" class="number">
            Took
          </span>
          <span role="columnheader" class="axis">
            <span class="hidden">Time</span>
            {ticks.map(({ at, label }) => (
              <span key={label} class="tick" style={{ left: `${at}%` }} data-last={at > 92}>
                {label}
              </span>
            ))}
          </span>
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${rows.top(visible.length)}px` }}>
        <div class="grid-lines" aria-hidden="true">
          <span>
            {ticks.map(({ at, label }) => (
              <i key={label} style={{ left: `${at}%` }} />
            ))}
          </span>
        </div>
        {lines}
      </div>
    </div>
  );
}

/** Keeps room on the scale for what runs. */
function Growth({ model, state }: { model: TurnModel; state: TreeState }) {
  const clock = useClock();
  const now = clock.value;
  useEffect(() => state.grow(model, now), [model, Math.floor(now / 250)]);
  return null;
}
