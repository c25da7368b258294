import { redactText } from '@hermes-observer/core';
import type { Approval } from '../../approvals/approval.js';
import type { CallbackReply } from '../base-channel.js';
import { factsOf, outcomeOf } from '../card-facts.js';
import { type Choice, choicesOf, labelOf } from '../choice-value.js';
import { visibleLine, visibleText } from '../visible-text.js';
import { type Html, html, pageReply } from './html.js';
import { agoOf, leftOf } from './time-left.js';

/** Of why a call waits, in the list. The page of the request has all of it. */
const MOST_WHY = 300;

/** Requests that wait, oldest first. `base` is the path of the pages, without a slash at its end; `now`: Unix milliseconds. */
export function listPage(pending: readonly Approval[], base: string, now: number): CallbackReply {
  const items = pending.map(
    ({ id, tool, agent, title, createdAt, expiresAt }) =>
      html`<li><a href="${base}/${id}">${visibleLine(tool)}</a> ${visibleLine(firstOf(redactText(title)))}
<p class="soft">${agent === '' ? '' : html`${visibleLine(agent)} · `}asked ${agoOf(createdAt, now)} · ${leftOf(expiresAt, now)}</p></li>`,
  );
  const main = items.length === 0 ? html`<p>Nothing waits for an answer.</p>` : html`<ul>${items}</ul>`;
  return pageReply(200, 'Approvals', main, base);
}

export interface RequestPage {
  /** Redacted. */
  readonly approval: Approval;
  readonly base: string;
  /** What answers it, where the page has it; empty where who answers has to give it. */
  readonly code: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** How the last answer ended. */
  readonly said?: string | undefined;
  readonly status?: number | undefined;
}

/** One request: all of its arguments, while it is pending a form to decide it with, and its ids and digest, folded. */
export function requestPage({ approval, base, code, now, said, status = 200 }: RequestPage): CallbackReply {
  const { agent, args, expiresAt, state, title, tool } = approval;
  const facts = factsOf(approval).map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`);
  const isPending = state === 'pending';
  const about = isPending
    ? html`<p><span class="left">${leftOf(expiresAt, now)}</span>${agent === '' ? '' : html` · ${visibleLine(agent)} waits`}</p>`
    : html`<p>${outcomeOf(approval)}</p>`;
  return pageReply(
    status,
    isPending ? `Run ${visibleLine(tool)}?` : visibleLine(tool),
    html`${said === undefined ? '' : html`<p class="said" role="status">${said}</p>`}
<p>${visibleText(redactText(title))}</p>
${about}
<h2>Arguments</h2>
<pre>${visibleText(JSON.stringify(JSON.parse(args), null, 2))}</pre>
<details><summary>Who asks, ids and digest</summary><dl>${facts}</dl></details>
${isPending ? form(approval, base, code) : ''}`,
    base,
  );
}

function form(approval: Approval, base: string, code: string): Html {
  const buttons = choicesOf({ approval }, true).map(
    (choice) =>
      html`<button class="${lookOf(choice)}" name="choice" value="${choice}">${labelOf(choice, approval.remember?.maxMs)}</button>`,
  );
  const token =
    code === ''
      ? html`<label>Code of this request, as it was given to who may answer it: this page does not have it<input name="token" required value=""></label>`
      : html`<input type="hidden" name="token" value="${code}">`;
  return html`<form method="post" action="${base}/${approval.id}" autocomplete="off">
${token}
<p>${buttons}</p>
</form>`;
}

const lookOf = (choice: Choice): string => (choice === 'approve' ? 'yes' : choice === 'reject' ? 'no' : 'more');

function firstOf(text: string): string {
  if (text.length <= MOST_WHY) return text;
  return `${text.slice(0, MOST_WHY).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function notePage(status: number, title: string, text: string, base: string): CallbackReply {
  return pageReply(status, title, html`<p>${text}</p>`, base);
}
