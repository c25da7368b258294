import { useEffect, useMemo } from 'preact/hooks';
import { counted } from '../format/amount.js';
import { search } from '../route/router.js';
import { FaultNotice, Notice } from '../ui/notice.js';
import { isFiltered, parseFilter } from './filter.js';
import { FilterBar } from './filter-bar.js';
import { TurnGrid } from './turn-grid.js';
import { TurnStore } from './turn-store.js';

/** Kept over pages, so that the step back shows the list at once. */
const store = new TurnStore();

export function TurnsPage() {
  const filter = useMemo(() => parseFilter(search.value), [search.value]);
  // Asked for before anything is drawn.
  useMemo(() => void store.show(filter), [filter]);
  useEffect(() => store.watch(), []);
  useEffect(() => {
    document.title = 'Turns – Hermes Observer';
  }, []);
  const rows = store.rows.value;
  const fault = store.fault.value;
  return (
    <main class="turns-page">
      <div class="turns-head">
        <h1 class="hidden">Turns</h1>
        <FilterBar filter={filter} rows={rows} />
        <p class="turns-count" role="status">
          {store.isLoaded.value ? counted(store.total.value, 'turn') : ' '}
        </p>
      </div>
      {fault !== undefined && rows.length === 0 ? (
        <FaultNotice fault={fault} again={() => void store.show(filter)} />
      ) : store.isLoaded.value && rows.length === 0 ? (
        <Nothing isFiltered={isFiltered(filter)} />
      ) : (
        <TurnGrid rows={rows} onEnd={() => void store.more()} />
      )}
    </main>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Notice title="No turn is like that">Clear a filter to see more.</Notice>;
  return (
    <Notice title="No turns yet">
      <p>Say something to your agent: its turn shows here while it runs.</p>
      <p>
        No agent connected? <code>hermes-observer install hermes</code> connects the Hermes Agent, and{' '}
        <code>hermes-observer demo</code> shows recorded turns. The <a href="/health">health page</a> says what arrives.
      </p>
    </Notice>
  );
}
