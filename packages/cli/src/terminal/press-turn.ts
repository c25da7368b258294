import { SPAN_KIND } from '../traces/span-kind.js';
import type { Key } from './keys.js';
import { moved } from './move.js';
import { NO_FILTER, openedTurn, type State, type TurnState } from './state.js';
import type { TurnModel } from './turn-model.js';
import { nextChoice, visibleSpans } from './visible-spans.js';

/** @param page rows of the tree on the screen */
export function pressTurn(state: State, turn: TurnState, key: Key, page: number): State {
  const { model, filter } = turn;
  const name = key.name === 'text' ? key.text : key.name;
  if (name === 'escape' || name === 'backspace') return { ...state, ...backFrom(turn) };
  if (model === undefined) return state;
  const spans = visibleSpans(model, filter);
  const index = selectedPlace(turn, spans);
  const change = (more: Partial<TurnState>): State => ({ ...state, turn: { ...turn, ...more } });
  const to = moved(key, index, spans.length, page);
  if (to !== undefined) return change({ selected: to === 0 ? undefined : idAt(model, spans, to) });
  const span = spans[index];
  switch (name) {
    case 'enter':
      if (span === undefined) return state;
      return {
        ...change({ selected: model.spans.id[span] }),
        span: { id: model.spans.id[span] as string, detail: undefined, top: 0, isLong: false, fault: undefined },
      };
    case 'o':
      return change({ filter: { ...filter, only: nextChoice(model, filter.only) }, top: 0 });
    case 'f':
      return span === undefined ? state : change(fold(turn, model, span));
    case 'left':
    case 'h':
      return span === undefined ? state : change(foldOrUp(turn, model, span));
    case 'right':
    case 'l':
      return span === undefined ? state : change(unfold(turn, model, span));
    case '[':
      return beside(state, model, 'previous_turn');
    case ']':
      return beside(state, model, 'next_turn');
    case 'F':
      return change({ filter: { ...filter, folded: filter.folded.size > 0 ? new Set() : childAgents(model) } });
    default:
      return state;
  }
}

/** The turn of the same session before or after, which is the selected one in the list then. */
function beside(state: State, { links }: TurnModel, relation: string): State {
  const link = links.find((one) => one.relation === relation);
  if (link === undefined) return state;
  const row = state.list.rows.find(({ trace }) => trace === link.trace);
  return { ...state, list: { ...state.list, selected: link.trace }, turn: openedTurn(link.trace, row) };
}

/** The filter first, then the turn itself. */
function backFrom(turn: TurnState): Partial<State> {
  const { text, only, folded } = turn.filter;
  if (text === '' && only === '') return { turn: undefined };
  const { model } = turn;
  if (model === undefined) return { turn: { ...turn, filter: { ...NO_FILTER, folded } } };
  // The one that was on stays so, also where it is the first that the filter let through.
  const spans = visibleSpans(model, turn.filter);
  const selected = spans.length === 0 ? turn.selected : idAt(model, spans, selectedPlace(turn, spans));
  return { turn: { ...turn, selected, filter: { ...NO_FILTER, folded } } };
}

/** Place of the selected span among those that show; if it does not, that of the nearest above it. */
export function selectedPlace({ model, selected }: TurnState, spans: ArrayLike<number>): number {
  const span = selected === undefined ? undefined : model?.indexOf(selected);
  if (model === undefined || span === undefined) return 0;
  const { placeOf } = model.order;
  const place = placeOf[span] as number;
  // Those that show are in the order of the tree.
  let [low, high] = [0, spans.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((placeOf[spans[middle] as number] as number) <= place) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

export function hasChildren({ order: { placeOf, endPlace } }: TurnModel, span: number): boolean {
  return (endPlace[span] as number) - (placeOf[span] as number) > 1;
}

function fold(turn: TurnState, model: TurnModel, span: number): Partial<TurnState> {
  if (turn.filter.folded.has(model.spans.id[span] as string)) return unfold(turn, model, span);
  const target = hasChildren(model, span) ? span : (model.spans.parent[span] as number);
  return target < 0 ? {} : folding(turn, model, target);
}

function foldOrUp(turn: TurnState, model: TurnModel, span: number): Partial<TurnState> {
  if (hasChildren(model, span) && !turn.filter.folded.has(model.spans.id[span] as string)) {
    return folding(turn, model, span);
  }
  const above = model.spans.parent[span] as number;
  return above < 0 ? {} : { selected: model.spans.id[above] };
}

function folding(turn: TurnState, model: TurnModel, span: number): Partial<TurnState> {
  const id = model.spans.id[span] as string;
  return { selected: id, filter: { ...turn.filter, folded: new Set([...turn.filter.folded, id]) } };
}

function unfold(turn: TurnState, model: TurnModel, span: number): Partial<TurnState> {
  const folded = new Set(turn.filter.folded);
  folded.delete(model.spans.id[span] as string);
  return { filter: { ...turn.filter, folded } };
}

const idAt = (model: TurnModel, spans: ArrayLike<number>, place: number) => model.spans.id[spans[place] as number];

function childAgents(model: TurnModel): Set<string> {
  const { kind, id } = model.spans;
  return new Set(id.filter((_, span) => kind[span] === SPAN_KIND.child && hasChildren(model, span)));
}
