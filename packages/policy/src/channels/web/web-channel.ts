import { randomUUID } from 'node:crypto';
import { ObserverError } from '@hermes-observer/core';
import type { Approval, MessageRef } from '../../approvals/approval.js';
import type { DecisionPort } from '../../approvals/approvals-port.js';
import type { ApprovalCard, BaseChannel, CallbackReply, CallbackRequest, ChannelDecision } from '../base-channel.js';
import { headerOf, textOf } from '../callback-proof.js';
import { checkedAddress, checkedName } from '../channel-fetch.js';
import { type Choice, meaningOf } from '../choice-value.js';
import { listPage, notePage, requestPage } from './web-pages.js';

export interface WebChannelOptions {
  /** @default 'web' */
  readonly name?: string | undefined;
  /** Where browsers find the pages, such as `http://127.0.0.1:4319/approvals`. Forms are taken from its origin alone. */
  readonly url: string;
  /**
   * How the code of a request reaches who may decide it: a function that is given the page's address with the code in it, such as
   * one that prints it. `page`: it stands on the page, so whoever may open the page may decide, an agent that has the service's
   * token too.
   */
  readonly deliver: 'page' | ((link: string, approval: Approval) => void | Promise<void>);
}

/** A request for a page, which the host has let through already. */
export interface WebRequest extends CallbackRequest {
  readonly method: string;
  /** The whole path. */
  readonly path: string;
}

const MOST_FORM = 4096;
const MOST_CODES = 10_000;
const CHOICES: readonly string[] = ['approve', 'approve-session', 'approve-arguments', 'reject'] satisfies Choice[];

/**
 * Pages of a service: requests that wait, each with all of its arguments. The host serves them, and says who may read them. To
 * decide takes the code of that request beside, in a form of the same origin.
 */
export class WebChannel implements BaseChannel {
  readonly name: string;
  readonly forgets: boolean;
  readonly #options: WebChannelOptions;
  readonly #url: string;
  readonly #base: string;
  readonly #origin: string;
  /** Codes that stand on pages, by request. */
  readonly #codes = new Map<string, string>();

  /** @throws ObserverError `HO_POLICY_CONFIG` */
  constructor(options: WebChannelOptions) {
    this.name = checkedName(options.name ?? 'web');
    this.#url = checkedAddress(this.name, options.url);
    if (options.deliver !== 'page' && typeof options.deliver !== 'function') {
      throw new ObserverError('HO_POLICY_CONFIG', `${this.name}: \`deliver\` is a function, or 'page'.`);
    }
    const { pathname, origin } = new URL(this.#url);
    this.#base = pathname.replace(/\/+$/, '');
    this.#origin = origin;
    this.forgets = options.deliver === 'page';
    this.#options = options;
  }

  /** Where all of a request can be read: the `link` of cards. */
  linkOf(id: string): string {
    return `${this.#url}/${id}`;
  }

  async send({ approval, token }: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    const { deliver } = this.#options;
    if (deliver === 'page') {
      if (this.#codes.size >= MOST_CODES) {
        throw new ObserverError('HO_POLICY_CHANNEL', `${this.name}: ${MOST_CODES} requests wait already.`);
      }
      this.#codes.set(approval.id, token);
    } else {
      await deliver(`${this.linkOf(approval.id)}?code=${encodeURIComponent(token)}`, approval);
    }
    return this.#source(approval.id);
  }

  /** Pages show what is so when they are asked for. */
  async update(_: MessageRef, { id, state }: Approval): Promise<void> {
    if (state !== 'pending') this.#codes.delete(id);
  }

  /** Answers a request of somebody who may read the pages. `decider` is who that is: an immutable id. `now`: Unix milliseconds. */
  async respond(request: WebRequest, decisions: DecisionPort, decider: string, now: number): Promise<CallbackReply> {
    const id = this.#idIn(request.path);
    if (id === undefined) return this.#note(404, 'Not found', 'There is no such page.');
    if (request.method === 'GET' || request.method === 'HEAD') {
      if (id === '') return listPage(await decisions.pending(), this.#base, now);
      return this.#page(id, decisions, request.query.code ?? this.#codes.get(id) ?? '', now);
    }
    if (request.method !== 'POST' || id === '')
      return this.#note(405, 'Not allowed', 'Pages are read, requests decided.');
    if (!this.#isOwnForm(request)) return this.#note(403, 'Refused', 'Answers are taken from these pages alone.');
    const approval = await decisions.get(id);
    if (approval === undefined) return this.#note(404, 'Not found', 'There is no such request.');
    const decision = this.#decisionIn(request, approval, decider);
    if (decision === undefined) return this.#note(400, 'Not understood', 'The form has no code or no choice.');
    const outcome = await decisions.decide(this.name, decision, now);
    if (outcome.ok)
      return { status: 303, headers: { location: `${this.#base}/${id}`, 'cache-control': 'no-store' }, body: '' };
    return this.#page(id, decisions, this.#codes.get(id) ?? '', now, outcome.text);
  }

  async #page(id: string, decisions: DecisionPort, code: string, now: number, said?: string): Promise<CallbackReply> {
    const approval = await decisions.get(id);
    if (approval === undefined) return this.#note(404, 'Not found', 'There is no such request.');
    const status = said === undefined ? 200 : 409;
    return requestPage({ approval, base: this.#base, code, now, said, status });
  }

  #note(status: number, title: string, text: string): CallbackReply {
    return notePage(status, title, text, this.#base);
  }

  /** Empty for the list. */
  #idIn(path: string): string | undefined {
    if (path === this.#base || path === `${this.#base}/`) return '';
    if (!path.startsWith(`${this.#base}/`)) return undefined;
    const id = path.slice(this.#base.length + 1);
    return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : undefined;
  }

  /** A browser says where a form came from; what says nothing is no browser, and has no form. */
  #isOwnForm(request: WebRequest): boolean {
    const site = request.headers['sec-fetch-site'];
    const [type] = (headerOf(request, 'content-type') ?? '').split(';');
    return (
      headerOf(request, 'origin') === this.#origin &&
      (site === undefined || site === 'same-origin') &&
      type?.trim().toLowerCase() === 'application/x-www-form-urlencoded' &&
      request.body.byteLength <= MOST_FORM
    );
  }

  #decisionIn(request: WebRequest, { id, remember }: Approval, decider: string): ChannelDecision | undefined {
    let form: URLSearchParams;
    try {
      form = new URLSearchParams(textOf(request));
    } catch {
      return undefined;
    }
    const [token, ...tokens] = form.getAll('token');
    const [choice, ...choices] = form.getAll('choice');
    if (!token || choice === undefined || tokens.length + choices.length > 0 || !CHOICES.includes(choice)) {
      return undefined;
    }
    return {
      kind: 'decision',
      approvalId: id,
      token: token.trim(),
      ...meaningOf(choice as Choice, remember?.maxMs ?? 0),
      decider: { channel: this.name, id: decider },
      source: this.#source(id),
      eventId: randomUUID(),
    };
  }

  #source(id: string): Omit<MessageRef, 'channel'> {
    return { tenant: '', chat: 'web', message: id };
  }
}
