import type { Key } from './keys.js';
import { moved } from './move.js';
import { listPage, turnPage } from './page-size.js';
import { pressSpan } from './press-span.js';
import { pressTurn } from './press-turn.js';
import { type ListState, openedTurn, type Size, type State, selectedRow } from './state.js';

/** What the list can be narrowed to, in the order in which a key goes through it. */
export const OUTCOMES = ['', 'running', 'blocked', 'errors', 'failed', 'interrupted', 'incomplete', 'completed'];

/** The state after a key. */
export function press(state: State, key: Key, size: Size): State {
  if (key.name === 'interrupt') return { ...state, isOver: true };
  if (state.input !== undefined) return pressInput(state, state.input, key);
  if (isText(key, 'q')) return { ...state, isOver: true };
  if (state.hasHelp) return { ...state, hasHelp: false };
  if (isText(key, '?')) return { ...state, hasHelp: true };
  if (state.turn !== undefined && state.span !== undefined) return pressSpan(state, state.turn, state.span, key, size);
  if (isText(key, '/')) return { ...state, input: state.turn?.filter.text ?? state.list.query.text };
  if (state.turn !== undefined) return pressTurn(state, state.turn, key, turnPage(size));
  return pressList(state, key, size);
}

const isText = (key: Key, text: string) => key.name === 'text' && key.text === text;

/** Narrows while it is typed; Esc takes it back. */
function pressInput(state: State, input: string, key: Key): State {
  switch (key.name) {
    case 'text':
      return withText({ ...state, input: (input + key.text).slice(0, 200) });
    case 'backspace':
      if (input === '') return { ...state, input: undefined };
      return withText({ ...state, input: [...input].slice(0, -1).join('') });
    case 'escape':
      return { ...withText({ ...state, input: '' }), input: undefined };
    case 'enter':
    case 'up':
    case 'down':
      return { ...state, input: undefined };
    default:
      return state;
  }
}

function withText(state: State): State {
  const text = state.input ?? '';
  const { turn, list } = state;
  if (turn !== undefined) return { ...state, turn: { ...turn, filter: { ...turn.filter, text }, top: 0 } };
  return { ...state, list: narrowed(list, { ...list.query, text }) };
}

const narrowed = (list: ListState, query: ListState['query']): ListState => ({
  ...list,
  query,
  selected: undefined,
  top: 0,
  wantsEnd: false,
});

function pressList(state: State, key: Key, size: Size): State {
  const { list } = state;
  const index = selectedRow(list);
  const to = moved(key, index, list.rows.length, listPage(size));
  if (to !== undefined) return { ...state, list: selectedAt(list, to, isText(key, 'G') || key.name === 'end') };
  switch (key.name === 'text' ? key.text : key.name) {
    case 'enter':
    case 'right':
    case 'l': {
      const row = list.rows[index];
      if (row === undefined) return state;
      return { ...state, list: selectedAt(list, index, false), turn: openedTurn(row.trace, row) };
    }
    case 'o': {
      const outcomes = list.query.outcome === '' ? occurring(list) : (list.outcomes ?? OUTCOMES);
      const outcome = outcomes[(outcomes.indexOf(list.query.outcome) + 1) % outcomes.length] ?? '';
      return { ...state, list: { ...narrowed(list, { ...list.query, outcome }), outcomes } };
    }
    case 'escape':
    case 'backspace':
      // The one that was on stays so, also where it is the first that the filter let through.
      return { ...state, list: { ...narrowed(list, { text: '', outcome: '' }), selected: keptOf(list, index) } };
    default:
      return state;
  }
}

/** Outcomes that some turn has; all of them while not every turn is known. */
function occurring({ rows, next, isLoaded }: ListState): readonly string[] {
  if (next !== null || !isLoaded) return OUTCOMES;
  const has = (outcome: string) => {
    if (outcome === 'blocked') return rows.some(({ blocked }) => blocked > 0);
    return rows.some((row) => (outcome === 'errors' ? row.errors > 0 : row.outcome === outcome));
  };
  return OUTCOMES.filter((outcome) => outcome === '' || has(outcome));
}

const keptOf = ({ rows, query, selected }: ListState, index: number) =>
  query.text === '' && query.outcome === '' ? undefined : (rows[index]?.trace ?? selected);

/** On the first row, new turns push nothing away: the first stays selected. */
function selectedAt(list: ListState, index: number, wantsEnd: boolean): ListState {
  return { ...list, selected: index === 0 ? undefined : list.rows[index]?.trace, wantsEnd };
}
