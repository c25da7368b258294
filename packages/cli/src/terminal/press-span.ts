import type { Key } from './keys.js';
import { moved } from './move.js';
import { spanPage } from './page-size.js';
import { spanLines } from './span-lines.js';
import type { Size, SpanState, State, TurnState } from './state.js';

export function pressSpan(state: State, turn: TurnState, span: SpanState, key: Key, size: Size): State {
  const name = key.name === 'text' ? key.text : key.name;
  if (name === 'escape' || name === 'backspace' || name === 'left' || name === 'h')
    return { ...state, span: undefined };
  if (name === 'f' || name === 'enter') return { ...state, span: { ...span, isLong: !span.isLong, top: 0 } };
  const page = spanPage(size);
  // What is selected is the first line that shows.
  const last = Math.max(0, spanLines(turn, span, size.columns).length - page);
  const top = moved(key, Math.min(span.top, last), last + 1, page);
  return top === undefined ? state : { ...state, span: { ...span, top } };
}
