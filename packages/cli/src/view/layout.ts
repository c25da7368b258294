import { displayWidth } from './display-width.js';
import type { Palette, Tone } from './palette.js';
import { fit, joinedWidth, joinParts, type Piece, piece, widthOf } from './piece.js';

/** One line of a tree, its texts not yet brought into columns. */
export interface Line {
  /** The tree's lines and the span's name. */
  readonly name: readonly Piece[];
  /** How it ended, the most important first. `undefined`: the name goes on over this column. */
  readonly result: readonly Piece[] | undefined;
  readonly start: string;
  readonly took: string;
  /** Where it lies in the trace, from 0 to 1, and in which colour. */
  readonly bar?: { readonly from: number; readonly to: number; readonly tone: Tone };
}

/** Columns of a tree at a terminal's width. */
export interface Layout {
  readonly width: number;
  readonly name: number;
  readonly result: number;
  /** 0 where there is no room for it. */
  readonly start: number;
  readonly took: number;
  readonly bar: number;
}

const START = 9;
const TOOK = 8;
const GAP = '  ';
/** From this width on there is room for the start of each span, and for bars. */
const START_FROM = 60;
const BAR_FROM = 100;
const MOST_BAR = 40;
/** Narrower than this a bar says nothing. */
const LEAST_BAR = 12;
/** A name that is cut keeps at least this. */
const LEAST_NAME = 12;

/** Columns left of the times where there are no bars. */
export function mainWidth(width: number): number {
  return width - TOOK - (width >= START_FROM ? START : 0);
}

/** The bar gets what names and results leave. */
function barWidth(width: number, needed: number): number {
  if (width < BAR_FROM) return 0;
  const rest = Math.min(MOST_BAR, width - BAR_FROM + 20, mainWidth(width) - needed);
  return rest < LEAST_BAR ? 0 : rest;
}

/** Names and results get what they need before bars do; results as far as names keep half of the room. */
export function layoutFor(lines: readonly Line[], width: number): Layout {
  let longestName = 0;
  let longestResult = 0;
  for (const { name, result } of lines) {
    if (result === undefined) continue;
    longestName = Math.max(longestName, widthOf(name));
    longestResult = Math.max(longestResult, joinedWidth(result));
  }
  const bar = barWidth(width, longestName + GAP.length + longestResult);
  const room = mainWidth(width) - bar - GAP.length;
  const name = Math.min(longestName, Math.max(Math.ceil(room / 2), room - longestResult));
  return {
    width,
    name,
    result: Math.max(0, room - name),
    start: width >= START_FROM ? START : 0,
    took: TOOK,
    bar,
  };
}

export function heading(layout: Layout, palette: Palette): string {
  const start = layout.start === 0 ? '' : 'start';
  return render(
    { name: [piece('span', 'dim')], result: [piece('result', 'dim')], start, took: 'took' },
    layout,
    palette,
  );
}

/** Columns of a line's name: those of the layout, or more if the line's result can spare them. */
function nameWidth(line: Line, { name, result }: Layout): number {
  const needed = widthOf(line.name);
  if (needed <= name) return name;
  const room = name + result;
  const vital = line.result?.[0]?.width ?? 0;
  return Math.max(name, Math.min(needed, room, Math.max(LEAST_NAME, room - vital)));
}

/** A line as text, never wider than the layout. */
export function render(line: Line, layout: Layout, palette: Palette): string {
  const { start, took, bar } = layout;
  const room = layout.name + layout.result;
  const name = nameWidth(line, layout);
  const result = room - name;
  const main =
    line.result === undefined
      ? fit(line.name, room + GAP.length, palette)
      : `${fit(line.name, name, palette)}${GAP}${fit(joinParts(line.result, result), result, palette)}`;
  const startText = start === 0 ? '' : palette.dim(padStart(line.start, start));
  const text = `${main}${startText}${padStart(line.took, took)}`;
  const end = bar === 0 || line.bar === undefined ? '' : `${GAP}${barText(line.bar, bar - GAP.length, palette)}`;
  return `${text}${end}`.trimEnd();
}

function barText({ from, to, tone }: NonNullable<Line['bar']>, cells: number, palette: Palette): string {
  const first = Math.min(cells - 1, Math.max(0, Math.floor(from * cells)));
  const last = Math.min(cells, Math.max(first + 1, Math.round(to * cells)));
  return ' '.repeat(first) + palette[tone]('━'.repeat(last - first));
}

/** Like `padStart`, for text with signs that are wider than a column. */
function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}
