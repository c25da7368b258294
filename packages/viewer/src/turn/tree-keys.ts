import { useRef } from 'preact/hooks';
import { rowAfterKey } from '../grid/keys.js';
import { findNext, TypeToFind } from '../grid/type-to-find.js';
import { hasChildren } from './fold.js';
import { TROUBLE, type TreeState } from './tree-state.js';
import { type TurnModel, textAt } from './turn-model.js';

export interface TreeKeys {
  readonly model: TurnModel;
  readonly state: TreeState;
  /** Rows that are seen at once. */
  readonly page: number;
  readonly onOpen: (span: number) => void;
  readonly onClose: () => void;
}

/** What keys do in the tree: as in any tree, and letters find the next span with such a name. */
export function useTreeKeys(keys: TreeKeys): (event: KeyboardEvent) => void {
  const find = useRef(new TypeToFind());
  const latest = useRef(keys);
  latest.current = keys;
  return useRef((event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { state } = latest.current;
    const word = find.current.add(event, performance.now());
    const done = word === undefined ? control(event, latest.current) : goToName(word, latest.current);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
    if (state.active.peek() >= 0 && event.key !== 'Escape') state.reveals.value++;
  }).current;
}

function control({ key, shiftKey }: KeyboardEvent, { model, state, page, onOpen, onClose }: TreeKeys): boolean {
  const visible = state.visible.peek();
  const span = state.active.peek();
  const row = state.rowOf.peek()[span] ?? -1;
  const next = rowAfterKey(key, row, visible.length, page);
  if (next !== undefined) {
    state.active.value = visible[next] ?? -1;
    return true;
  }
  if (key === 'Escape') {
    onClose();
    return true;
  }
  if (span < 0) return false;
  const isParent = hasChildren(model.tree, span);
  const isFolded = state.folded.peek().has(span);
  switch (key) {
    case 'Enter':
      onOpen(span);
      return true;
    case ' ':
      state.toggle(span);
      return true;
    case 'ArrowRight':
      if (isParent && isFolded) state.toggle(span, false);
      else if (isParent) state.active.value = visible[row + 1] ?? span;
      return true;
    case 'ArrowLeft':
      if (isParent && !isFolded && !shiftKey) state.toggle(span, true);
      else
        state.active.value =
          Math.max(model.tree.parent[span] ?? -1, -1) === -1 ? span : (model.tree.parent[span] ?? span);
      return true;
    default:
      return false;
  }
}

function goToName(word: string, { model, state }: TreeKeys): boolean {
  const { order, placeOf } = model.tree;
  const active = state.active.peek();
  // The first letter looks further; more of them stay as long as they fit.
  const from = active < 0 ? 0 : (placeOf[active] ?? 0) + (word.length === 1 ? 1 : 0);
  const text = (place: number) => {
    const span = order[place] ?? 0;
    return `${textAt(model, model.name[span])} ${textAt(model, model.who[span])} ${textAt(model, model.label[span])}`;
  };
  const place = findNext(word, from, order.length, text);
  if (place !== -1) state.goTo(order[place] ?? -1);
  return true;
}

/** The next span in trouble, if there is any. */
export function goToTrouble(state: TreeState): void {
  const span = state.nextWith(TROUBLE);
  if (span !== -1) state.goTo(span);
}
