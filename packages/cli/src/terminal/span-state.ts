import { FLAG } from '../traces/span-facts.js';
import { SPAN_KIND } from '../traces/span-kind.js';
import { type Piece, piece } from '../view/piece.js';
import type { TurnModel } from './turn-model.js';

const KIND_WORDS = [
  'turn',
  'child agent',
  'model request',
  'auxiliary request',
  'tool call',
  'approval',
  'question',
  'span',
];

export const kindWord = (kind: number | undefined): string => KIND_WORDS[kind ?? SPAN_KIND.other] ?? 'span';

/** How a span stands, the most telling first. What is blocked, cancelled or late is not called an error as well. */
export function stateOf(model: TurnModel, span: number): Piece[] {
  const flags = model.spans.flags[span] ?? 0;
  const has = (flag: number) => (flags & flag) !== 0;
  const label = model.label(span);
  const pieces = mainState(model, span, has);
  if (pieces.length === 0 && label !== undefined && !model.name(span).includes(label)) pieces.push(piece(label, 'dim'));
  const add = (flag: number, text: string) => {
    if (has(flag)) pieces.push(...(pieces.length === 0 ? [] : [piece(' · ', 'dim')]), piece(text, 'dim'));
  };
  add(FLAG.retried, 'retried');
  add(FLAG.background, 'after the turn');
  add(FLAG.clockFault, 'clock fault');
  return pieces;
}

function mainState(model: TurnModel, span: number, has: (flag: number) => boolean): Piece[] {
  const label = model.label(span);
  const who = model.who(span);
  const because = label === undefined ? [] : [piece(`: ${label}`)];
  if (has(FLAG.blocked)) return [piece('blocked', 'warn'), piece(who === undefined ? '' : ` by ${who}`), ...because];
  if (has(FLAG.cancelled)) return [piece('cancelled', 'strong')];
  if (has(FLAG.timeout)) return [piece('timeout', 'bad')];
  if (has(FLAG.error)) return [piece('ERROR', 'bad'), piece(label === undefined ? '' : ` ${label}`)];
  if (has(FLAG.running)) {
    const { kind } = model.spans;
    const isHuman = kind[span] === SPAN_KIND.approval || kind[span] === SPAN_KIND.human;
    return isHuman && who === undefined ? [piece('waits for you', 'person')] : [piece('running', 'good')];
  }
  if (has(FLAG.incomplete)) return [piece('incomplete', 'strong'), ...because];
  if (model.spans.kind[span] === SPAN_KIND.approval && who !== undefined)
    return [piece(`${label ?? 'answered'} by ${who}`)];
  return [];
}
