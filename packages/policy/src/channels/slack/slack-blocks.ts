import type { Approval } from '../../approvals/approval.js';
import type { ApprovalCard } from '../base-channel.js';
import type { Fields } from '../callback-proof.js';
import { type Fact, factsOf, fitArgs, fitted, outcomeOf } from '../card-facts.js';
import { type Choice, choicesOf, choiceValue, labelOf } from '../choice-value.js';
import { visibleLine, visibleText } from '../visible-text.js';

/** Characters of one text; blocks of one message. */
const MOST_TEXT = 3000;
const MOST_BLOCKS = 50;
/** Characters of all blocks as JSON. Slack refuses some 13,200 (`msg_blocks_too_long`), which its pages do not say. */
const MOST_ALL = 12_500;

/** Starts of the ids of our buttons. */
export const ACTION_PREFIX = 'hermes_';

/** Fields of a message: blocks, and a text for notifications. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly Fields[];
}

/**
 * A request. All that comes from a call stands in elements of rich text, which Slack takes as they are: links, mentions and formats
 * are elements of their own there, so nothing in a text can become one.
 */
export function requestMessage(card: ApprovalCard): SlackMessage {
  const args = visibleText(card.args);
  const build = (most: number) => {
    const { text, isWhole, note } = fitArgs(args, most, card);
    return [
      header('Approval needed'),
      facts(factsOf(card.approval, card.masked)),
      section([strong(isWhole ? 'Arguments' : 'Arguments, NOT ALL OF THEM')]),
      ...pieces(text).map(preformatted),
      ...(note === '' ? [] : [section([strong(note)])]),
      ...(card.link === undefined ? [] : [section([{ type: 'link', url: card.link, text: 'Read it on a page' }])]),
      { type: 'actions', elements: choicesOf(card, isWhole).map((choice) => button(choice, card)) },
    ];
  };
  const fits = (blocks: readonly Fields[]) => blocks.length <= MOST_BLOCKS && JSON.stringify(blocks).length <= MOST_ALL;
  return { text: `Approval needed: ${escapeMarkup(card.approval.tool)}`, blocks: fitted(MOST_ALL, build, fits) };
}

/** What became of it, without buttons and without arguments. `name` is that of the channel. */
export function outcomeMessage(approval: Approval, name: string): SlackMessage {
  const { decider } = approval;
  const isHere = decider?.channel === name && /^[UW][A-Z0-9]{2,30}$/.test(decider.id);
  return {
    text: `${escapeMarkup(approval.tool)}: ${escapeMarkup(outcomeOf(approval))}`,
    blocks: [
      header(approval.state === 'pending' ? 'Approval needed' : 'Approval'),
      section([strong(outcomeOf(approval)), ...(isHere ? [plain(' '), { type: 'user', user_id: decider.id }] : [])]),
      facts(factsOf(approval)),
    ],
  };
}

/** For the fields where Slack does look for markup. */
export function escapeMarkup(text: string): string {
  return visibleLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function button(choice: Choice, card: ApprovalCard): Fields {
  return {
    type: 'button',
    action_id: `${ACTION_PREFIX}${choice}`,
    text: { type: 'plain_text', text: labelOf(choice, card.approval.remember?.maxMs), emoji: false },
    value: choiceValue(choice, card),
    ...(choice === 'approve' ? { style: 'primary' } : {}),
    ...(choice === 'reject' ? { style: 'danger' } : {}),
  };
}

const header = (text: string) => ({ type: 'header', text: { type: 'plain_text', text, emoji: false } });
const plain = (text: string) => ({ type: 'text', text });
const strong = (text: string) => ({ type: 'text', text, style: { bold: true } });
const section = (elements: readonly Fields[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
const preformatted = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_preformatted', elements: [plain(text)] }],
});

function facts(list: readonly Fact[]): Fields {
  return section(list.flatMap(([label, value], i) => [strong(`${i === 0 ? '' : '\n'}${label}: `), plain(value)]));
}

/** Texts that Slack takes, which together are the text: cut behind a line where there is one, and never in a pair. */
function pieces(text: string): string[] {
  const list: string[] = [];
  let rest = text;
  while (rest.length > MOST_TEXT) {
    const line = rest.lastIndexOf('\n', MOST_TEXT - 1) + 1;
    const last = rest.charCodeAt(MOST_TEXT - 1);
    const end = line > 0 ? line : last >= 0xd800 && last <= 0xdbff ? MOST_TEXT - 1 : MOST_TEXT;
    list.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  // An element without a text is refused.
  return rest === '' ? list : [...list, rest];
}
