import { piece } from '../view/piece.js';
import { EMPTY_LINE, line, type ScreenLine } from './screen-line.js';
import type { Size } from './state.js';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['j k, arrows', 'next, previous'],
  ['Space, PgDn, PgUp', 'a page on, a page back'],
  ['g G, Home, End', 'first, last'],
  ['Enter', 'open: a turn, then a span'],
  ['Esc, Backspace', 'back; with a filter, all again'],
  ['/', 'only what has a text: turns anywhere, spans in their line'],
  ['o', 'only one outcome, the next one with each press'],
  ['f, left, right', 'fold a span, or a long text'],
  ['F', 'fold all child agents'],
  ['[ ]', 'the turn before, the turn after, of the same session'],
  ['Ctrl-L', 'draw anew'],
  ['Ctrl-Z', 'stop, until fg'],
  ['q, Ctrl-C', 'quit'],
];

const SIGNS: readonly (readonly [sign: string, what: string])[] = [
  ['━', 'what the turn waited for: its critical path'],
  ['─', 'went on beside it'],
  ['x', 'blocked: it never ran'],
  ['>', 'goes on'],
  ['/', 'cancelled'],
];

export function helpScreen(size: Size): ScreenLine[] {
  const lines: ScreenLine[] = [line(piece('keys', 'strong'))];
  for (const [keys, what] of KEYS) lines.push(line(piece(`  ${keys.padEnd(20)}`, 'strong'), piece(what)));
  lines.push(line(piece('bars', 'strong')));
  for (const [sign, what] of SIGNS) lines.push(line(piece(`  ${sign.padEnd(20)}`, 'strong'), piece(what)));
  while (lines.length < size.rows - 1) lines.push(EMPTY_LINE);
  return [...lines.slice(0, size.rows - 1), line(piece('any key goes back', 'dim'))];
}
