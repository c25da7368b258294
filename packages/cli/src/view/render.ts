import { counted } from './amount.js';
import { headerLines } from './header.js';
import { heading, layoutFor, render } from './layout.js';
import { createPalette, type Palette } from './palette.js';
import { fitLoose, flowParts, type Piece, piece } from './piece.js';
import type { SpanRow } from './span-row.js';
import { survey } from './survey.js';
import { Totals } from './totals.js';
import { buildForest, type Forest, type TraceTree } from './tree.js';
import { treeLines } from './tree-lines.js';

export interface RenderOptions {
  /** Columns to fit into, at least 20. @default 80 */
  readonly width?: number;
  /** ANSI colours. @default false */
  readonly colour?: boolean;
  /** Excerpts of the content that spans carry, if they carry any. @default false */
  readonly content?: boolean;
  /** A last line that counts it all. @default true */
  readonly summary?: boolean;
}

export const LEAST_WIDTH = 20;
const DEFAULT_WIDTH = 80;

interface Settings {
  readonly width: number;
  readonly content: boolean;
  readonly palette: Palette;
}

/** Spans as trees, one a trace in order of start, and a summary. The same spans give the same text. */
export function renderTraces(rows: Iterable<SpanRow>, options: RenderOptions = {}): string {
  let text = '';
  for (const line of traceLines(rows, options)) text += `${line}\n`;
  return text;
}

/** The same, line by line. No line is wider than `width`, and none has a control character but those of colours. */
export function* traceLines(rows: Iterable<SpanRow>, options: RenderOptions = {}): Generator<string, void, undefined> {
  const settings = settingsOf(options);
  const forest = buildForest(rows);
  const totals = new Totals();
  yield* forestLines(forest, totals, settings);
  if (options.summary !== false) yield* summaryLines(forest, totals, settings);
}

function settingsOf({ width = DEFAULT_WIDTH, colour = false, content = false }: RenderOptions): Settings {
  return { width: Math.max(LEAST_WIDTH, Math.floor(width)), content, palette: createPalette(colour) };
}

function* forestLines(forest: Forest, totals: Totals, settings: Settings): Generator<string> {
  const numbers = new Map(forest.traces.map(({ traceId }, i) => [traceId, i + 1]));
  for (const tree of forest.traces) {
    yield* treeText(tree, totals, numbers, settings);
    yield '';
  }
}

function* treeText(
  tree: TraceTree,
  totals: Totals,
  numbers: ReadonlyMap<string, number>,
  { width, content, palette }: Settings,
): Generator<string> {
  const trace = survey(tree);
  totals.include(trace.totals);
  for (const line of headerLines(trace, numbers.get(tree.traceId) ?? 0, numbers, width)) {
    yield fitLoose(line, width, palette);
  }
  const lines = treeLines(trace, { width, content });
  const layout = layoutFor(lines, width);
  yield '';
  yield heading(layout, palette);
  for (const line of lines) yield render(line, layout, palette);
}

function* summaryLines({ traces, repeated }: Forest, totals: Totals, settings: Settings): Generator<string> {
  const { width, palette } = settings;
  const tone = (count: number, loud: Piece['tone']) => (count > 0 ? loud : 'plain');
  const parts = [
    piece(counted(traces.length, 'trace')),
    piece(counted(totals.spans, 'span')),
    piece(counted(totals.errors, 'error'), tone(totals.errors, 'bad')),
    piece(`${totals.blocked} blocked`, tone(totals.blocked, 'warn')),
    piece(`${totals.incomplete} incomplete`, tone(totals.incomplete, 'warn')),
  ];
  if (repeated > 0) parts.push(piece(`${counted(repeated, 'repeated span')} left out`, 'dim'));
  for (const line of flowParts(parts, width)) yield fitLoose(line, width, palette);
}
