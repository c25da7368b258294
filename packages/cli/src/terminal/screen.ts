import { piece } from '../view/piece.js';
import { helpScreen } from './help-screen.js';
import { listScreen, listTop } from './list-screen.js';
import { EMPTY_LINE, line, type ScreenLine } from './screen-line.js';
import { spanScreen, spanTop } from './span-screen.js';
import type { Size, State } from './state.js';
import { turnScreen, turnTop } from './turn-screen.js';

const LEAST: Size = { columns: 30, rows: 10 };

/** What is on the screen: exactly `size.rows` lines. */
export function screen(state: State, size: Size, nowMillis: number): ScreenLine[] {
  const lines = screenOf(state, size, nowMillis).slice(0, size.rows);
  while (lines.length < size.rows) lines.push(EMPTY_LINE);
  return lines;
}

function screenOf(state: State, size: Size, nowMillis: number): ScreenLine[] {
  const { turn, span } = state;
  if (size.columns < LEAST.columns || size.rows < LEAST.rows) return [line(piece('too small')), line(piece('q quits'))];
  if (state.hasHelp) return helpScreen(size);
  if (turn === undefined) return listScreen(state, size, nowMillis);
  return span === undefined ? turnScreen(state, turn, size, nowMillis) : spanScreen(state, turn, span, size);
}

/** The state with what scrolls where it is drawn, so that the next key goes on from there. */
export function settled(state: State, size: Size): State {
  const { list, turn, span } = state;
  if (turn === undefined) return { ...state, list: { ...list, top: listTop(list, size) } };
  if (span === undefined) return { ...state, turn: { ...turn, top: turnTop(turn, size) } };
  return { ...state, span: { ...span, top: spanTop(turn, span, size) } };
}

/** Whether time alone changes what is shown. */
export function isMoving({ list, turn, span, hasHelp }: State): boolean {
  if (hasHelp || span !== undefined) return false;
  if (turn !== undefined) return (turn.model?.row.running ?? 0) > 0;
  return list.rows[0]?.duration === null;
}
