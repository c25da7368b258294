import { SPAN_KIND } from '../traces/span-kind.js';
import { cutToWidth, displayWidth } from '../view/display-width.js';
import { joinParts, type Piece, piece, widthOf } from '../view/piece.js';
import { footerLine, narrowedText } from './footer.js';
import { scrolled } from './move.js';
import { turnPage } from './page-size.js';
import { partsUntil, pathBar, pathLegend } from './path-bar.js';
import { hasChildren, selectedPlace } from './press-turn.js';
import { countPieces, durationText, outcomePiece, titleOf } from './row-facts.js';
import { EMPTY_LINE, line, type ScreenLine } from './screen-line.js';
import { ownPath, spanBar } from './span-bar.js';
import { kindWord, stateOf } from './span-state.js';
import type { Size, State, TurnState } from './state.js';
import { momentText, tookText } from './time-text.js';
import type { TurnModel } from './turn-model.js';
import { visibleSpans } from './visible-spans.js';

const KEYS = 'j/k  Enter span  / find  o only  f fold  Esc back  ? help  q quit';
const TOOK = 8;
const LEAST_BAR = 10;

/** First span on the screen. */
export function turnTop(turn: TurnState, size: Size): number {
  if (turn.model === undefined) return 0;
  const spans = visibleSpans(turn.model, turn.filter);
  return scrolled(turn.top, selectedPlace(turn, spans), spans.length, turnPage(size));
}

/** One turn: where its time went, and its spans as tree and waterfall; below them more of the selected one. */
export function turnScreen(state: State, turn: TurnState, size: Size, nowMillis: number): ScreenLine[] {
  const { columns } = size;
  const page = turnPage(size);
  const { model } = turn;
  const lines = [titleLine(turn, nowMillis)];
  if (model === undefined) {
    const text = turn.isGone ? 'this turn is gone: it was deleted, or made room for others' : 'reading ...';
    lines.push(EMPTY_LINE, line(piece(`  ${text}`)));
    while (lines.length < size.rows - 1) lines.push(EMPTY_LINE);
    return [...lines, footerLine(state, KEYS)];
  }
  const now = model.nowAt(nowMillis);
  const parts = partsUntil(model, now);
  const spans = visibleSpans(model, turn.filter);
  const selected = selectedPlace(turn, spans);
  const top = turnTop(turn, size);
  lines.push(
    line(...joinParts(factPieces(turn, model), columns)),
    line(...pathBar(parts, columns)),
    line(...pathLegend(parts, columns)),
    headLine(turn, spans.length, columns),
  );
  for (let i = top; i < top + page; i++) {
    const span = spans[i];
    lines.push(span === undefined ? EMPTY_LINE : spanRow(turn, model, span, i === selected, columns, now));
  }
  const span = spans[selected];
  lines.push(
    span === undefined ? line(piece('  no span is like that; Esc shows all')) : moreLine(model, span, columns, now),
  );
  lines.push(footerLine(state, KEYS));
  return lines;
}

function titleLine({ model, row, isGone }: TurnState, nowMillis: number): ScreenLine {
  const shown = model?.row ?? row;
  if (shown === undefined) return line(piece('turn', 'strong'));
  const gone = isGone ? [piece('  '), piece('gone from the service', 'warn')] : [];
  return {
    ...line(
      piece(titleOf(shown), 'strong'),
      piece('  '),
      outcomePiece(shown),
      piece(shown.duration === null ? ' for ' : ' in '),
      piece(durationText(shown, nowMillis), 'strong'),
      ...gone,
    ),
    right: [piece(` ${momentText(shown.start)}`, 'dim')],
  };
}

function factPieces({ model: _, ...turn }: TurnState, model: TurnModel): Piece[] {
  const { row, incomplete } = model;
  const parts = countPieces(row);
  for (const reason of incomplete) parts.push(piece(reason.replaceAll('_', ' '), 'strong'));
  parts.push(piece(row.session ?? `trace ${turn.trace}`, 'dim'));
  return parts;
}

const barCells = (columns: number) => (columns < 60 ? 0 : Math.max(LEAST_BAR, Math.floor(columns / 4)));

function headLine({ filter, model }: TurnState, count: number, columns: number): ScreenLine {
  const narrowed = narrowedText(filter.text, filter.only);
  const total = model?.count ?? 0;
  const text = narrowed === '' ? 'span' : `span, ${narrowed} (${count} of ${total} show)`;
  const cells = barCells(columns);
  return {
    ...line(piece(`  ${text}`, 'dim')),
    right: [piece(`${'took'.padStart(TOOK)}${cells === 0 ? '' : `  ${'━ held it up'.padEnd(cells)}`}`, 'dim')],
  };
}

function spanRow(
  turn: TurnState,
  model: TurnModel,
  span: number,
  isSelected: boolean,
  columns: number,
  now: number,
): ScreenLine {
  const cells = barCells(columns);
  const start = model.spans.start[span] as number;
  const took = tookText(model.endOf(span, now) - start);
  const bar = spanBar(model, span, cells, now);
  const right = [piece(' '.repeat(Math.max(1, TOOK - displayWidth(took))) + took)];
  if (cells > 0) right.push(piece('  '), ...bar, piece(' '.repeat(Math.max(0, cells - widthOf(bar)))));
  const room = columns - widthOf(right) - 2;
  return {
    isSelected,
    pieces: [piece(isSelected ? '> ' : '  ', 'strong'), ...nameAndState(turn, model, span, room)],
    right,
  };
}

/** The name gives way where there is more to say, but never below half of the room. */
function nameAndState(turn: TurnState, model: TurnModel, span: number, room: number): Piece[] {
  const name = [piece(indent(turn, model, span, room), 'dim'), ...namePieces(model, span)];
  const state = stateOf(model, span);
  if (state.length === 0) return name;
  const most = Math.max(Math.ceil(room / 2), room - widthOf(state) - 2);
  return [...cutPieces(name, most), piece('  '), ...state];
}

function cutPieces(pieces: readonly Piece[], most: number): Piece[] {
  const kept: Piece[] = [];
  let left = most;
  for (const one of pieces) {
    if (one.width <= left) kept.push(one);
    else {
      kept.push(piece(cutToWidth(one.text, left), one.tone));
      break;
    }
    left -= one.width;
  }
  return kept;
}

/** Deep down, the depth is a number. */
function indent({ filter }: TurnState, model: TurnModel, span: number, room: number): string {
  const depth = model.order.depth[span] as number;
  const most = Math.max(4, Math.floor(room / 6));
  const mark = !hasChildren(model, span) ? '  ' : filter.folded.has(model.spans.id[span] as string) ? '+ ' : '- ';
  return depth <= most ? '  '.repeat(depth) + mark : `${'  '.repeat(most - 2)}…${depth} ${mark}`;
}

/** Agents and tools by their own names: there is little room. */
function namePieces(model: TurnModel, span: number): Piece[] {
  const name = model.name(span);
  const kind = model.spans.kind[span] as number;
  if (name === '') return [piece('(no name)', 'dim')];
  if (kind <= SPAN_KIND.child) return [piece(name.replace(/^invoke_agent (?=.)/, ''), 'strong')];
  return [piece(kind === SPAN_KIND.tool ? name.replace(/^execute_tool (?=.)/, '') : name)];
}

/** Of the selected span: its kind, how it stands in full, what it held up. */
function moreLine(model: TurnModel, span: number, columns: number, now: number): ScreenLine {
  const own = ownPath(model, span, now);
  const start = tookText(model.spans.start[span] as number);
  const share = Math.round((own / Math.max(1, model.row.duration ?? model.reach(now))) * 100);
  const held = own === 0 ? 'held nothing up' : `held it up for ${tookText(own)} (${share}%)`;
  const right = [piece(`  +${start}  ${held}`, 'dim')];
  const state = stateOf(model, span);
  const pieces = [piece(kindWord(model.spans.kind[span]), 'strong'), piece(state.length === 0 ? '' : '  '), ...state];
  return columns < 60 ? line(...pieces) : { ...line(...pieces), right };
}
