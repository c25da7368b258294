import { FLAG } from '../traces/span-facts.js';
import type { Tone } from '../view/palette.js';
import { type Piece, piece } from '../view/piece.js';
import type { TurnModel } from './turn-model.js';

const KIND_TONES: readonly Tone[] = ['dim', 'good', 'model', 'model', 'tool', 'plain', 'plain', 'plain'];

/**
 * Where a span lies in its turn: heavy where it is what held the turn up, light elsewhere, with a tip where it goes on.
 * Blocked calls are crosses, cancelled ones are cut.
 * @param now nanoseconds from the base
 */
export function spanBar(model: TurnModel, span: number, cells: number, now: number): Piece[] {
  if (cells <= 0) return [];
  const scale = cells / model.reach(now);
  const start = model.spans.start[span] as number;
  const flags = model.spans.flags[span] as number;
  const first = Math.min(cells - 1, Math.max(0, Math.floor(start * scale)));
  const last = Math.min(cells, Math.max(first + 1, Math.round(model.endOf(span, now) * scale)));
  const tone = (flags & FLAG.error) !== 0 ? 'plain' : (KIND_TONES[model.spans.kind[span] as number] ?? 'plain');
  const blank = piece(' '.repeat(first));
  if ((flags & FLAG.blocked) !== 0) return [blank, piece('x'.repeat(last - first), 'strong')];
  const signs = new Array<string>(last - first).fill('─');
  for (const [, from, to] of model.segmentsOf(span, now)) {
    const [begin, end] = [Math.floor(from * scale), Math.max(Math.floor(from * scale) + 1, Math.round(to * scale))];
    for (let cell = Math.max(begin, first); cell < Math.min(end, last); cell++) signs[cell - first] = '━';
  }
  if ((flags & FLAG.running) !== 0) signs[signs.length - 1] = '>';
  else if ((flags & FLAG.cancelled) !== 0) signs[signs.length - 1] = '/';
  return [blank, piece(signs.join(''), tone)];
}

/** Nanoseconds of the critical path that are a span's own. */
export function ownPath(model: TurnModel, span: number, now: number): number {
  let sum = 0;
  for (const [, from, to] of model.segmentsOf(span, now)) sum += to - from;
  return sum;
}
