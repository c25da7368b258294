import type { TraceRow } from '../traces/trace-row.js';
import { counted } from '../view/amount.js';
import { displayWidth } from '../view/display-width.js';
import { joinParts, type Piece, piece } from '../view/piece.js';
import { footerLine, narrowedText } from './footer.js';
import { scrolled } from './move.js';
import { listPage } from './page-size.js';
import { blockedPieces, countPieces, durationText, outcomePiece, titleOf, tokensText } from './row-facts.js';
import { EMPTY_LINE, line, type ScreenLine } from './screen-line.js';
import { type ListState, type Size, type State, selectedRow } from './state.js';
import { startText } from './time-text.js';

const KEYS = 'j/k move  Enter open  / filter  o outcome  ? help  q quit';
const START = 11;
const OUTCOME = 12;
const TOOK = 8;
const TOOLS = 6;
const TOKENS = 13;
/** From this width on there is room for what the last lines say of the selected turn. */
const WIDE = 100;

/** First row on the screen. */
export const listTop = (list: ListState, size: Size) =>
  scrolled(list.top, selectedRow(list), list.rows.length, listPage(size));

/** All turns, one a line; below them more of the selected one. */
export function listScreen(state: State, size: Size, nowMillis: number): ScreenLine[] {
  const { list } = state;
  const page = listPage(size);
  const index = selectedRow(list);
  const top = listTop(list, size);
  const lines = [titleLine(list), headLine(size.columns)];
  for (let i = top; i < top + page; i++) {
    const row = list.rows[i];
    lines.push(row === undefined ? EMPTY_LINE : rowLine(row, size.columns, nowMillis, i === index));
  }
  if (list.rows.length === 0) lines[2] = line(piece(`  ${emptyText(state)}`));
  const selected = list.rows[index];
  lines.push(...(selected === undefined ? [EMPTY_LINE, EMPTY_LINE] : moreLines(selected, size.columns)));
  lines.push(footerLine(state, KEYS));
  return lines;
}

function titleLine({ rows, total, query }: ListState): ScreenLine {
  const running = rows.filter(({ duration }) => duration === null).length;
  const narrowed = narrowedText(query.text, query.outcome);
  const count = `${total} ${total === 1 ? 'turn' : 'turns'}${narrowed === '' ? '' : ` ${narrowed}`}`;
  const pieces = [piece('hermes-observer', 'strong'), piece(`  ${count}`)];
  if (running > 0) pieces.push(piece('  '), piece(`${running} running`, 'good'));
  return line(...pieces);
}

function headLine(columns: number): ScreenLine {
  const numbers = columns < WIDE ? '' : 'tools'.padStart(TOOLS) + 'in/out'.padStart(TOKENS);
  const head = `  ${'start'.padEnd(START)} ${'outcome'.padEnd(OUTCOME)}${'took'.padStart(TOOK)}${numbers}  what`;
  return line(piece(head, 'dim'));
}

function rowLine(row: TraceRow, columns: number, nowMillis: number, isSelected: boolean): ScreenLine {
  const tools = row.tools === 0 ? '' : String(row.tools);
  const numbers = columns < WIDE ? '' : tools.padStart(TOOLS) + tokensText(row).padStart(TOKENS);
  return {
    isSelected,
    pieces: [
      piece(isSelected ? '> ' : '  ', 'strong'),
      piece(startText(row.start, nowMillis).padEnd(START + 1), 'dim'),
      ...padded(outcomePiece(row), OUTCOME),
      piece(padStart(durationText(row, nowMillis), TOOK)),
      piece(numbers),
      piece('  '),
      ...whatPieces(row),
    ],
  };
}

const padded = (text: Piece, width: number): Piece[] => [text, piece(' '.repeat(Math.max(1, width - text.width)))];
const padStart = (text: string, width: number) => ' '.repeat(Math.max(0, width - displayWidth(text))) + text;

/** What a person wants to know first: what was blocked, what failed, what was asked. */
function whatPieces(row: TraceRow): Piece[] {
  if (row.blocked > 0) return blockedPieces(row);
  const asked = piece(row.excerpt ?? titleOf(row));
  return row.errors > 0 ? [piece(counted(row.errors, 'error'), 'bad'), piece(' '), asked] : [asked];
}

function moreLines(row: TraceRow, columns: number): ScreenLine[] {
  const session = row.session === null ? [] : [piece(row.session, 'dim')];
  const facts = [piece(titleOf(row), 'strong'), ...countPieces(row), ...session];
  const said = row.blocked > 0 ? blockedPieces(row) : row.excerpt === null ? [] : [piece(row.excerpt)];
  return [line(...joinParts(facts, columns)), line(...said)];
}

function emptyText({ list, connection }: State): string {
  if (connection === 'away') return 'the service does not answer';
  if (!list.isLoaded) return 'reading ...';
  return list.query.text === '' && list.query.outcome === ''
    ? 'no turns yet: they show here as soon as an agent begins one'
    : 'no turn is like that; Esc shows all';
}
