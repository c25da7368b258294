import { useEffect, useMemo } from 'preact/hooks';
import { turnTitle } from '../format/turn-title.js';
import { turnPath } from '../route/route.js';
import { navigate } from '../route/router.js';
import { SpanPanel } from '../span/span-panel.js';
import { Icon } from '../ui/icon.js';
import { FaultNotice, Notice } from '../ui/notice.js';
import { SpanGrid } from './span-grid.js';
import { TimeSpent } from './time-spent.js';
import { goToTrouble } from './tree-keys.js';
import { TROUBLE, TreeState } from './tree-state.js';
import { TurnHead } from './turn-head.js';
import type { TurnModel } from './turn-model.js';
import { TurnStore } from './turn-store.js';

export function TurnPage({ trace, span }: { trace: string; span: string | undefined }) {
  const store = useMemo(() => new TurnStore(trace), [trace]);
  const state = useMemo(() => new TreeState(store), [store]);
  useEffect(() => store.watch(), [store]);
  const model = store.model.value;
  const isLoaded = model !== undefined;
  const open = useMemo(
    () => (span === undefined || model === undefined ? -1 : model.id.indexOf(span)),
    [span, model?.id],
  );
  // An address of a span shows where it stands.
  useEffect(() => {
    if (open >= 0 && state.active.peek() !== open) state.goTo(open);
  }, [open, isLoaded]);
  const name = model === undefined ? 'Turn' : turnTitle(model.row);
  useEffect(() => {
    document.title = `${name} – Hermes Observer`;
  }, [name]);
  if (model === undefined) {
    if (store.fault.value !== undefined)
      return (
        <main>
          <FaultNotice fault={store.fault.value} again={() => void store.load()} />
        </main>
      );
    return (
      <main class="turn-page" aria-busy="true">
        <p class="loading">Loading…</p>
      </main>
    );
  }
  if (model.count === 0)
    return (
      <main>
        <Notice title="This turn has no spans yet" />
      </main>
    );
  const close = () => navigate(span === undefined ? '/' : turnPath(trace));
  const goTo = (index: number) => {
    if (index < 0) return;
    state.goTo(index);
    if (span !== undefined) navigate(turnPath(trace, model.id[index] ?? ''), { replace: true });
  };
  const openSpan = (index: number) => navigate(turnPath(trace, model.id[index] ?? ''), { replace: span !== undefined });
  return (
    <main class="turn-page" data-panel={span !== undefined}>
      <div class="turn-main">
        {store.isGone.value && (
          <p class="gone" role="status">
            This turn is no longer kept by the service; what you see is what was loaded.
          </p>
        )}
        <TurnHead
          model={model}
          onGoTo={(index) => {
            goTo(index);
            openSpan(index);
          }}
        />
        <TimeSpent model={model} onGoTo={goTo} />
        <TreeTools model={model} state={state} />
        <SpanGrid model={model} state={state} open={open} onOpen={openSpan} onClose={close} />
      </div>
      {span !== undefined && (
        <SpanPanel
          key={span}
          trace={trace}
          span={span}
          end={open < 0 ? undefined : model.end[open]}
          onClose={close}
          onGoTo={(id) => goTo(model.id.indexOf(id))}
        />
      )}
    </main>
  );
}

function TreeTools({ model, state }: { model: TurnModel; state: TreeState }) {
  const hasTrouble = useMemo(() => model.flags.some((flag) => (flag & TROUBLE) !== 0), [model.flags]);
  const isFolded = state.folded.value.size > 0;
  return (
    <div class="tree-tools">
      <span class="soft span-count">{model.count.toLocaleString('en')} spans</span>
      {(model.row.children > 0 || isFolded) && (
        <button type="button" class="quiet" onClick={() => (isFolded ? state.unfoldAll() : state.foldAll())}>
          {isFolded ? 'Unfold all' : 'Fold child agents'}
        </button>
      )}
      {hasTrouble && (
        <button type="button" class="quiet" onClick={() => goToTrouble(state)}>
          Next problem
        </button>
      )}
      {state.zoom.value === undefined ? (
        <button
          type="button"
          class="quiet"
          disabled={state.active.value < 0}
          onClick={() => state.zoomTo(state.active.value, Date.now())}
        >
          Zoom to span
        </button>
      ) : (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            state.zoom.value = undefined;
          }}
        >
          <Icon name="close" />
          Whole turn
        </button>
      )}
      <span class="legend" aria-hidden="true">
        <span class="legend-lit" /> on the critical path <span class="legend-pale" /> beside it
      </span>
    </div>
  );
}
