import type { ApprovalCard } from '../base-channel.js';
import { factsOf, fitArgs } from '../card-facts.js';
import { type Choice, choicesOf, labelOf } from '../choice-value.js';
import { visibleText } from '../visible-text.js';
import { barRows } from './bar-rows.js';

/** A question as it stands on a terminal, and the words that answer it. */
export interface Prompt {
  readonly text: string;
  /** Said again after any other word. */
  readonly ask: string;
  readonly words: ReadonlyMap<string, Choice>;
}

const WORDS: Readonly<Record<Choice, readonly string[]>> = {
  approve: ['y', 'yes'],
  'approve-session': ['session'],
  'approve-arguments': ['same'],
  reject: ['n', 'no'],
};

/** All that comes from a call is on rows that begin with a bar, so that none of them looks like the question. */
export function promptOf(card: ApprovalCard, waiting: number, mostArgs: number, width: number): Prompt {
  const { text, isWhole, note } = fitArgs(visibleText(card.args), mostArgs, card);
  const choices = choicesOf(card, isWhole);
  const lines = [
    '',
    `== Approval needed ==${waiting > 0 ? ` (${waiting} more wait)` : ''}`,
    ...factsOf(card.approval, card.masked).flatMap(([label, value]) => barRows(`${label}: ${value}`, '', width)),
    isWhole ? '| Arguments:' : '| Arguments, NOT ALL OF THEM:',
    ...text.split('\n').flatMap((line) => barRows(line, '  ', width)),
    ...(note === '' ? [] : [`!! ${note}`]),
    ...(card.link === undefined ? [] : [`| Page: ${card.link}`]),
  ];
  const offered = choices.map((choice) => `${WORDS[choice][0]} (${labelOf(choice, card.approval.remember?.maxMs)})`);
  const ask = `Type one word: ${offered.join(', ')} > `;
  const words = new Map(choices.flatMap((choice) => WORDS[choice].map((word) => [word, choice] as const)));
  return { text: `${lines.join('\n')}\n${ask}`, ask, words };
}
