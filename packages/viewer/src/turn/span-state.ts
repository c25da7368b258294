import { FLAG, KIND } from '../api/turn-answer.js';
import type { Tone } from '../ui/badge.js';
import type { IconName } from '../ui/icon.js';
import { hasFlag, type TurnModel } from './turn-model.js';

export interface SpanState {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
}

const STATES: readonly (readonly [number, SpanState])[] = [
  [FLAG.blocked, { tone: 'blocked', icon: 'blocked', word: 'blocked' }],
  [FLAG.cancelled, { tone: 'calm', icon: 'cancelled', word: 'cancelled' }],
  [FLAG.timeout, { tone: 'bad', icon: 'timeout', word: 'timeout' }],
  [FLAG.error, { tone: 'bad', icon: 'error', word: 'error' }],
  [FLAG.running, { tone: 'live', icon: 'running', word: 'running' }],
  [FLAG.incomplete, { tone: 'warn', icon: 'incomplete', word: 'incomplete' }],
];
const RETRIED: SpanState = { tone: 'warn', icon: 'retry', word: 'retried' };
const BACKGROUND: SpanState = { tone: 'calm', icon: 'background', word: 'after the turn' };
const CLOCK: SpanState = { tone: 'warn', icon: 'timeout', word: 'clock fault' };

/** How a span stands, the most telling first. What is blocked, cancelled or timed out is not called an error too. */
export function statesOf(model: TurnModel, span: number): SpanState[] {
  const states: SpanState[] = [];
  const main = STATES.find(([flag]) => hasFlag(model, span, flag));
  if (main !== undefined) states.push(waiting(model, span, main[1]));
  if (hasFlag(model, span, FLAG.retried)) states.push(RETRIED);
  if (hasFlag(model, span, FLAG.background)) states.push(BACKGROUND);
  if (hasFlag(model, span, FLAG.clockFault)) states.push(CLOCK);
  return states;
}

/** A person is who can end it: that is what should be seen first. */
function waiting({ kind }: TurnModel, span: number, state: SpanState): SpanState {
  const isHuman = kind[span] === KIND.approval || kind[span] === KIND.human;
  return isHuman && state.word === 'running' ? { tone: 'human', icon: 'human', word: 'waits for you' } : state;
}

const KIND_ICONS: readonly IconName[] = ['turn', 'child', 'request', 'auxiliary', 'tool', 'approval', 'human', 'other'];
const KIND_WORDS = [
  'Turn',
  'Child agent',
  'Model request',
  'Auxiliary request',
  'Tool call',
  'Approval',
  'Human input',
  'Span',
];

export const kindIcon = (kind: number | undefined): IconName => KIND_ICONS[kind ?? KIND.other] ?? 'other';
export const kindWord = (kind: number | undefined): string => KIND_WORDS[kind ?? KIND.other] ?? 'Span';

const PART_OF_KIND = ['agent', 'children', 'model', 'model', 'tools', 'human', 'human', 'agent'] as const;

/** The part of the time that a span of a kind is drawn as. */
export const partName = (kind: number | undefined): string => PART_OF_KIND[kind ?? KIND.other] ?? 'agent';
