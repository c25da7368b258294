import { piece } from '../view/piece.js';
import { footerLine } from './footer.js';
import { spanPage } from './page-size.js';
import { EMPTY_LINE, line, type ScreenLine } from './screen-line.js';
import { spanLines } from './span-lines.js';
import type { Size, SpanState, State, TurnState } from './state.js';

const KEYS = 'j/k scroll  f long texts  Esc back  ? help  q quit';

/** First line on the screen. */
export function spanTop(turn: TurnState, span: SpanState, size: Size): number {
  return Math.max(0, Math.min(span.top, spanLines(turn, span, size.columns).length - spanPage(size)));
}

/** One span, with all that is known of it. */
export function spanScreen(state: State, turn: TurnState, span: SpanState, size: Size): ScreenLine[] {
  const all = spanLines(turn, span, size.columns);
  const page = spanPage(size);
  const top = spanTop(turn, span, size);
  const index = turn.model?.indexOf(span.id);
  const name = span.detail?.name ?? (index === undefined ? undefined : turn.model?.name(index)) ?? span.id;
  const place = all.length > page ? ` ${top + 1}-${Math.min(all.length, top + page)} of ${all.length}` : '';
  const lines: ScreenLine[] = [
    { ...line(piece(name === '' ? '(no name)' : name, 'strong')), right: [piece(place, 'dim')] },
    EMPTY_LINE,
  ];
  for (let i = top; i < top + page; i++) lines.push(all[i] ?? EMPTY_LINE);
  lines.push(footerLine(state, KEYS));
  return lines;
}
