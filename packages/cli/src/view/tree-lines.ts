import { type HrTime, millisBetween } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { formatDuration } from './duration.js';
import { excerptsOf } from './excerpt.js';
import { type Line, mainWidth } from './layout.js';
import { type Note, notesOf } from './note.js';
import { outcomeOf } from './outcome.js';
import type { Tone } from './palette.js';
import { type Piece, piece } from './piece.js';
import { branchPrefix, notePrefix } from './prefix.js';
import type { Role } from './role.js';
import { type SpanRow, textOf } from './span-row.js';
import type { SurveyedTrace } from './survey.js';
import type { TreeNode } from './tree.js';

export interface TreeLineOptions {
  readonly width: number;
  readonly content: boolean;
}

const TONES: Readonly<Record<Role, Tone>> = {
  turn: 'strong',
  child: 'strong',
  chat: 'model',
  tool: 'tool',
  approval: 'person',
  human_input: 'person',
  other: 'plain',
};

/** The lines of a trace's tree: each span, and below it what happened in it. */
export function treeLines(trace: SurveyedTrace, { width, content }: TreeLineOptions): Line[] {
  const mostDepth = Math.max(3, Math.floor(mainWidth(width) / 6) - 4);
  const lines: Line[] = [];
  for (const node of trace.tree.nodes) {
    const role = trace.roles.get(node) ?? 'other';
    lines.push(spanLine(node, role, trace, mostDepth));
    const { row } = node;
    if (row.events.length > 0) addNotes(lines, notesOf(row, content), node, trace, mostDepth);
    if (content) addNotes(lines, excerptsOf(row, role), node, trace, mostDepth);
  }
  return lines;
}

function spanLine(node: TreeNode, role: Role, trace: SurveyedTrace, mostDepth: number): Line {
  const { row } = node;
  const took = row.end === undefined ? undefined : millisBetween(row.start, row.end);
  const asked = role === 'tool' ? node.children.find((child) => trace.roles.get(child) === 'approval') : undefined;
  const result = outcomeOf(row, role, asked?.row);
  if (role === 'child') result.push(...(trace.children.get(node)?.shortParts() ?? []));
  if (node.depth === 0 && node !== trace.tree.roots[0]) result.push(piece('parent not found', 'warn'));
  const line = {
    name: [piece(branchPrefix(node, mostDepth), 'dim'), ...namePieces(row, role)],
    result,
    start: offset(trace, row.start),
    took: took === undefined ? 'running' : took < 0 ? '?' : formatDuration(took),
  };
  const bar = barOf(row, role, trace);
  return bar === undefined ? line : { ...line, bar };
}

function namePieces({ name, attributes }: SpanRow, role: Role): Piece[] {
  const space = name.indexOf(' ');
  const tone = TONES[role];
  const shown = name === '' ? '(no name)' : name;
  const pieces =
    role === 'other' || space === -1
      ? [piece(shown, tone)]
      : [piece(name.slice(0, space), 'dim'), piece(name.slice(space), tone)];
  const task = textOf(attributes, semconv.ATTR_HERMES_AUX_TASK);
  if (task !== undefined) pieces.push(piece(` (${task})`));
  return pieces;
}

function addNotes(lines: Line[], notes: Note[], node: TreeNode, trace: SurveyedTrace, mostDepth: number): void {
  for (const { pieces, start, millis } of notes) {
    lines.push({
      name: [piece(notePrefix(node, mostDepth), 'dim'), ...pieces],
      result: undefined,
      start: start === undefined ? '' : offset(trace, start),
      took: millis === undefined ? '' : formatDuration(millis),
    });
  }
}

/** Time since the root's start. */
function offset({ start }: SurveyedTrace, time: HrTime): string {
  const millis = millisBetween(start, time);
  return millis < 0 ? formatDuration(millis) : `+${formatDuration(millis)}`;
}

function barOf(row: SpanRow, role: Role, { first, last }: SurveyedTrace): Line['bar'] {
  const whole = millisBetween(first, last);
  if (!(whole > 0)) return undefined;
  const from = millisBetween(first, row.start) / whole;
  const to = row.end === undefined ? 1 : millisBetween(first, row.end) / whole;
  return { from, to, tone: row.failed ? 'bad' : TONES[role] };
}
