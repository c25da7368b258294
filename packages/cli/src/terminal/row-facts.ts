import type { TraceRow } from '../traces/trace-row.js';
import { counted, formatTokens } from '../view/amount.js';
import { costParts } from '../view/cost.js';
import type { Tone } from '../view/palette.js';
import { type Piece, piece } from '../view/piece.js';
import { tookText } from './time-text.js';

const TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  failed: 'bad',
  error: 'bad',
  interrupted: 'strong',
  incomplete: 'strong',
};

export const outcomePiece = ({ outcome, waitsForHuman }: TraceRow): Piece =>
  waitsForHuman ? piece('waits', 'person') : piece(outcome, TONES[outcome] ?? 'plain');

/** Of a running turn up to now. */
export function durationOf({ duration, start }: TraceRow, nowMillis: number): number {
  return duration ?? Math.max(0, nowMillis * 1e6 - Number(start));
}

export const durationText = (row: TraceRow, nowMillis: number) => tookText(durationOf(row, nowMillis));

/** Tokens in and out, `?` for what nobody told; nothing where both are not known. */
export function tokensText({ tokens: { input, output } }: TraceRow): string {
  if (input === null && output === null) return '';
  return `${input === null ? '?' : formatTokens(input)}/${output === null ? '?' : formatTokens(output)}`;
}

export const titleOf = ({ agent, service, name }: TraceRow) => agent ?? (name === '' ? (service ?? 'trace') : name);

/** What a turn did, in numbers. */
export function countPieces(row: TraceRow): Piece[] {
  const { tokens, cost, requests, tools, children, errors, blocked, cancelled, spans } = row;
  const parts: Piece[] = [];
  if (row.model !== null) parts.push(piece(row.model));
  if (requests > 0) parts.push(piece(counted(requests, 'request')));
  if (tools > 0) parts.push(piece(counted(tools, 'tool')));
  if (children > 0) parts.push(piece(counted(children, 'child', 'children')));
  if (blocked > 0) parts.push(piece(`${blocked} blocked`, 'warn'));
  if (errors > 0) parts.push(piece(counted(errors, 'error'), 'bad'));
  if (cancelled > 0) parts.push(piece(`${cancelled} cancelled`));
  if (tokens.input !== null) {
    const cached = tokens.cached === null ? '' : ` (${formatTokens(tokens.cached)} cached)`;
    parts.push(piece(`${formatTokens(tokens.input)} in${cached}`));
  }
  if (tokens.output !== null) parts.push(piece(`${formatTokens(tokens.output)} out`));
  if (cost !== null) parts.push(...costParts(cost));
  parts.push(piece(counted(spans, 'span'), 'dim'));
  return parts;
}

/** Calls that were not let through: which, by whom, why. */
export function blockedPieces({ blockedCalls, blocked }: TraceRow): Piece[] {
  const pieces = blockedCalls.flatMap(({ name, by, why }, i) => [
    ...(i === 0 ? [] : [piece('  ')]),
    piece('blocked', 'warn'),
    piece(` ${name}`),
    ...(by === null ? [] : [piece(` by ${by}`)]),
    ...(why === null ? [] : [piece(`: ${why}`)]),
  ]);
  if (blocked > blockedCalls.length) pieces.push(piece(`  and ${blocked - blockedCalls.length} more`));
  return pieces;
}
