import type { Approval } from '../../approvals/approval.js';
import type { ApprovalCard } from '../base-channel.js';
import type { Fields } from '../callback-proof.js';
import { factsOf, fitArgs, fitted, outcomeOf } from '../card-facts.js';
import { type Choice, choicesOf, choiceValue, labelOf } from '../choice-value.js';
import { visibleText } from '../visible-text.js';

/** Bytes of a request with a card in it: Feishu takes 30 KB. */
const MOST_BYTES = 28_000;

/** Field of a button's value that is ours. */
export const VALUE_FIELD = 'hermes_observer';

/**
 * A request as a card of schema 2.0. All that comes from a call is `plain_text`, in which Feishu looks for no links, mentions or
 * formats.
 */
export function requestCard(card: ApprovalCard): Fields {
  const args = visibleText(card.args);
  const build = (most: number) => {
    const { text, isWhole, note } = fitArgs(args, most, card);
    return whole('Approval needed', 'orange', [
      ...factElements(card.approval, card.masked),
      RULE,
      plain(isWhole ? 'Arguments' : 'Arguments, NOT ALL OF THEM'),
      plain(text === '' ? '–' : text),
      ...(note === '' ? [] : [plain(note)]),
      RULE,
      ...(card.link === undefined ? [] : [linkButton(card.link)]),
      ...choicesOf(card, isWhole).map((choice) => choiceButton(choice, card)),
    ]);
  };
  return fitted(MOST_BYTES, build, (built) => bytesOf(built) <= MOST_BYTES);
}

/** What became of it, without buttons and without arguments. */
export function outcomeCard(approval: Approval): Fields {
  const colour = approval.state === 'rejected' ? 'red' : approval.decider === null ? 'grey' : 'green';
  return whole('Approval', colour, [plain(outcomeOf(approval)), RULE, ...factElements(approval, 0)]);
}

/** A card travels as text within JSON. */
const bytesOf = (card: Fields) => Buffer.byteLength(JSON.stringify(JSON.stringify(card)));

function whole(title: string, template: string, elements: readonly Fields[]): Fields {
  return {
    schema: '2.0',
    config: {
      update_multi: true,
      enable_forward: false,
      enable_forward_interaction: false,
      summary: { content: title },
    },
    header: { title: { tag: 'plain_text', content: title }, template },
    body: { elements },
  };
}

function factElements(approval: Approval, masked: number): Fields[] {
  return factsOf(approval, masked).map(([label, value]) => plain(`${label}: ${value}`));
}

const RULE = { tag: 'hr' };
const plain = (content: string) => ({ tag: 'div', text: { tag: 'plain_text', content } });

/** Without a `name` Feishu answers a click with an error. */
function choiceButton(choice: Choice, card: ApprovalCard): Fields {
  const type = choice === 'reject' ? 'danger' : choice === 'approve' ? 'primary' : 'default';
  return button(`hermes_${choice.replaceAll('-', '_')}`, labelOf(choice, card.approval.remember?.maxMs), type, {
    type: 'callback',
    value: { [VALUE_FIELD]: choiceValue(choice, card) },
  });
}

const linkButton = (link: string) =>
  button('hermes_link', 'Read it on a page', 'default', { type: 'open_url', default_url: link });

function button(name: string, content: string, type: string, behavior: Fields): Fields {
  return { tag: 'button', name, type, text: { tag: 'plain_text', content }, behaviors: [behavior] };
}
