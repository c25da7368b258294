import type { Approval } from '../../approvals/approval.js';
import type { CallbackReply } from '../base-channel.js';
import { factsOf, outcomeOf } from '../card-facts.js';
import { choicesOf, labelOf } from '../choice-value.js';
import { visibleLine, visibleText } from '../visible-text.js';
import { html, pageReply } from './html.js';

/** Requests that wait, oldest first. `base` is the path of the pages, without a slash at its end. */
export function listPage(pending: readonly Approval[], base: string): CallbackReply {
  const items = pending.map(
    ({ id, tool, agent, createdAt }) =>
      html`<li><a href="${base}/${id}">${visibleLine(tool)}</a> ${visibleLine(agent)} ${new Date(createdAt).toISOString()}</li>`,
  );
  const main = items.length === 0 ? html`<p>Nothing waits for an answer.</p>` : html`<ul>${items}</ul>`;
  return pageReply(200, 'Approvals', main);
}

export interface RequestPage {
  /** Redacted. */
  readonly approval: Approval;
  readonly base: string;
  /** What the field for the code is filled with. */
  readonly code: string;
  /** How the last answer ended. */
  readonly said?: string | undefined;
  readonly status?: number | undefined;
}

/** One request: all of its arguments, its digest, and while it is pending a form to decide it with. */
export function requestPage({ approval, base, code, said, status = 200 }: RequestPage): CallbackReply {
  const facts = factsOf(approval).map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`);
  const isPending = approval.state === 'pending';
  return pageReply(
    status,
    'Approval',
    html`${said === undefined ? '' : html`<p class="said" role="status">${said}</p>`}
<p>${outcomeOf(approval)}</p>
<dl>${facts}</dl>
<h2>Arguments</h2>
<pre>${visibleText(JSON.stringify(JSON.parse(approval.args), null, 2))}</pre>
${isPending ? form(approval, base, code) : ''}
<p><a href="${base}">All that wait</a></p>`,
  );
}

function form(approval: Approval, base: string, code: string) {
  const buttons = choicesOf({ approval }, true).map(
    (choice) => html`<button name="choice" value="${choice}">${labelOf(choice, approval.remember?.maxMs)}</button>`,
  );
  return html`<form method="post" action="${base}/${approval.id}" autocomplete="off">
<p><label>Code of this request <input name="token" required value="${code}"></label></p>
<p>${buttons}</p>
</form>`;
}

export function notePage(status: number, title: string, text: string): CallbackReply {
  return pageReply(status, title, html`<p>${text}</p>`);
}
