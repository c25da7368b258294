import { PART, PART_NAMES } from '../traces/critical-path.js';
import type { Tone } from '../view/palette.js';
import { type Piece, piece, widthOf } from '../view/piece.js';
import { tookText } from './time-text.js';
import type { TurnModel } from './turn-model.js';

/** Each part has a sign of its own, so that a bar can be read without colours. */
const SIGNS: readonly (readonly [sign: string, tone: Tone])[] = [
  ['█', 'model'],
  ['▓', 'tool'],
  ['▒', 'person'],
  ['░', 'good'],
  ['·', 'plain'],
  ['─', 'dim'],
];
/** A person's part is a bar, and no word on a ground. */
const BAR_TONES: readonly Tone[] = SIGNS.map(([, tone]) => (tone === 'person' ? 'strong' : tone));
const WORDS = ['model', 'tools', 'person', 'child agents', 'back-off', 'agent'];

/** Nanoseconds by part, in the order of `PART_NAMES`: of a running turn up to `now`. They sum to its duration. */
export function partsUntil({ path, row }: TurnModel, now: number): number[] {
  const parts = PART_NAMES.map((name) => path.parts[name]);
  const last = path.segments.at(-1);
  // Until something begins or ends, what held it up goes on doing so.
  if (row.duration === null && last !== undefined) parts[last[3]] = (parts[last[3]] ?? 0) + Math.max(0, now - last[2]);
  return parts;
}

/** One bar for the whole of the time, the parts in proportion. */
export function pathBar(parts: readonly number[], columns: number): Piece[] {
  const total = parts.reduce((sum, part) => sum + part, 0);
  if (total === 0) return [];
  let [sum, used] = [0, 0];
  return byLength(parts).map((part) => {
    sum += parts[part] as number;
    const upTo = Math.round((sum / total) * columns);
    const cells = upTo - used;
    used = upTo;
    return piece((SIGNS[part]?.[0] ?? ' ').repeat(cells), BAR_TONES[part] ?? 'plain');
  });
}

/** The same as numbers, the largest first; those without room are left out. */
export function pathLegend(parts: readonly number[], columns: number): Piece[] {
  const total = parts.reduce((sum, part) => sum + part, 0);
  if (total === 0) return [piece('no time was spent', 'dim')];
  const pieces: Piece[] = [];
  let left = columns;
  for (const part of byLength(parts)) {
    const nanos = parts[part] as number;
    const share = Math.round((nanos / total) * 100);
    const gap = piece(pieces.length === 0 ? '' : '  ');
    const sign = piece(SIGNS[part]?.[0] ?? '', BAR_TONES[part]);
    const said = piece(` ${WORDS[part]} ${tookText(nanos)} ${share === 0 ? '<1' : share}%`);
    left -= widthOf([gap, sign, said]);
    if (left < 0) break;
    pieces.push(gap, sign, said);
  }
  return pieces;
}

function byLength(parts: readonly number[]): number[] {
  const known = Object.values(PART).filter((part) => (parts[part] ?? 0) > 0);
  return known.sort((a, b) => (parts[b] as number) - (parts[a] as number));
}
