import { setTimeout as wait } from 'node:timers/promises';
import { ObserverError, redactText } from '@hermes-observer/core';
import type { Approval, MessageRef } from '../../approvals/approval.js';
import type {
  ApprovalCard,
  BaseChannel,
  CallbackReply,
  CallbackRequest,
  ChannelEvent,
  DecisionOutcome,
} from '../base-channel.js';
import { type Fields, fieldsOf, headerOf, idOf, inner, type Proof, textOf } from '../callback-proof.js';
import { fitArgs } from '../card-facts.js';
import { type ChannelAnswer, channelFetch, checkedAddress, checkedName } from '../channel-fetch.js';
import { visibleText } from '../visible-text.js';
import { StandardWebhook } from './standard-webhook.js';

export interface WebhookChannelOptions {
  /** @default 'webhook' */
  readonly name?: string | undefined;
  /** https, or http on this machine. */
  readonly url: string;
  /** `whsec_…`: signs what is sent. Two while it is replaced, the new one first. */
  readonly secret: string | readonly string[];
  /** `whsec_…`: verifies answers. @default `secret` */
  readonly answerSecret?: string | readonly string[] | undefined;
  /** Characters of arguments in one message. More, and it says what is missing. @default 262144 */
  readonly maxArgs?: number | undefined;
  /** Milliseconds for one attempt, of three. @default 5000 */
  readonly timeoutMs?: number | undefined;
  /** Unix milliseconds. For tests. */
  readonly now?: (() => number) | undefined;
}

const WAITS = [0, 250, 1000];

/**
 * Requests as signed messages to an address, and answers as signed messages back: Standard Webhooks both ways. Bodies are JSON,
 * `{ type, timestamp, data }`; times are ISO 8601.
 *
 * - `approval.requested`: `message_id`, `approval_id`, `token`, `tool`, `title`, `arguments` (indented JSON, masked, as a text),
 *   `arguments_whole`, `arguments_bytes`, `note` (what is missing), `masked`, `digest`, `preview_digest`, `link`, `may_approve`
 *   (false where not all can be read), `call_id`, `turn_id`, `session_id`, `agent`, `user`, `gates`, `approvers`, `remember`,
 *   `created_at`, `expires_at`.
 * - `approval.decided`: `message_id`, `approval_id`, `state`, `decider`, `decided_at`, `comment`, `digest`.
 * - `approval.answer`, which comes back: `message_id`, `approval_id`, `token`, `choice` (`approve` or `reject`), `approver` (an id,
 *   in lists of approvers `webhook:<id>`), and if wanted `comment` and `remember` (`{ scope: session | arguments, ms }`). Answered with
 *   200 if it counts, 409 if not: `{ ok, text, state }`.
 */
export class WebhookChannel implements BaseChannel {
  readonly name: string;
  readonly #url: string;
  readonly #out: StandardWebhook;
  readonly #in: StandardWebhook;
  readonly #options: WebhookChannelOptions;

  /** @throws ObserverError `HO_POLICY_CONFIG` */
  constructor(options: WebhookChannelOptions) {
    this.name = checkedName(options.name ?? 'webhook');
    this.#url = checkedAddress(this.name, options.url);
    this.#out = new StandardWebhook(this.name, [options.secret].flat());
    this.#in = new StandardWebhook(this.name, [options.answerSecret ?? options.secret].flat());
    this.#options = options;
  }

  async send(card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    const message = StandardWebhook.newId();
    await this.#post(message, 'approval.requested', requestData(card, message, this.#options.maxArgs ?? 262_144));
    return { tenant: '', chat: '', message };
  }

  update({ message }: MessageRef, approval: Approval): Promise<void> {
    const { id, state, decider, decidedAt, digest, comment } = approval;
    return this.#post(StandardWebhook.newId(), 'approval.decided', {
      message_id: message,
      approval_id: id,
      state,
      decider: decider === null ? null : `${decider.channel}:${decider.id}`,
      decided_at: isoOf(decidedAt),
      comment: redactText(comment),
      digest,
    });
  }

  verify(request: CallbackRequest, now: number): Proof {
    return this.#in.verify(request, now);
  }

  parse(request: CallbackRequest): ChannelEvent {
    const message = fieldsOf(textOf(request));
    if (message.type !== 'approval.answer') return { kind: 'reply', reply: { status: 204, body: '' } };
    const data = inner(message, 'data');
    const { choice, comment } = data;
    if (choice !== 'approve' && choice !== 'reject') throw new Error('choice is `approve` or `reject`');
    if (comment !== undefined && typeof comment !== 'string') throw new Error('comment is a text');
    return {
      kind: 'decision',
      approvalId: idOf(data, 'approval_id'),
      token: idOf(data, 'token'),
      choice,
      remember: rememberOf(data),
      decider: { channel: this.name, id: idOf(data, 'approver') },
      source: { tenant: '', chat: '', message: idOf(data, 'message_id') },
      eventId: headerOf(request, 'webhook-id') ?? '',
      comment,
    };
  }

  /** 200 for a decision that counts, 409 for one that does not. */
  reply({ ok, text, approval }: DecisionOutcome): CallbackReply {
    const body = JSON.stringify({ ok, text, state: approval?.state ?? null });
    return { status: ok ? 200 : 409, headers: { 'content-type': 'application/json' }, body };
  }

  /** The id stays the same when it is tried again, so that it is taken once. */
  async #post(id: string, type: string, data: Fields): Promise<void> {
    const { now = Date.now, timeoutMs = 5_000 } = this.#options;
    const body = JSON.stringify({ type, timestamp: new Date(now()).toISOString(), data });
    let last: unknown;
    for (const ms of WAITS) {
      if (ms > 0) await wait(ms);
      try {
        const headers = { 'content-type': 'application/json', ...this.#out.sign(id, body, now()) };
        const answer = await channelFetch(this.#url, { method: 'POST', headers, body, timeoutMs });
        if (answer.status >= 200 && answer.status < 300) return;
        last = refusal(this.name, answer);
        if (answer.status < 500 && answer.status !== 429) break;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }
}

function refusal(name: string, { status }: ChannelAnswer): ObserverError {
  return new ObserverError('HO_POLICY_CHANNEL', `${name}: the address answered ${status}.`);
}

function requestData(card: ApprovalCard, message: string, maxArgs: number): Fields {
  const { approval } = card;
  const args = visibleText(card.args);
  const { text, isWhole, note } = fitArgs(args, maxArgs, card);
  return {
    message_id: message,
    approval_id: approval.id,
    token: card.token,
    tool: approval.tool,
    title: redactText(approval.title),
    arguments: text,
    arguments_whole: isWhole,
    arguments_bytes: Buffer.byteLength(args),
    note,
    masked: card.masked,
    digest: approval.digest,
    preview_digest: approval.previewDigest,
    link: card.link ?? null,
    may_approve: isWhole || card.link !== undefined,
    call_id: approval.callId,
    turn_id: approval.turnId,
    session_id: approval.sessionId,
    agent: approval.agent,
    user: approval.user,
    gates: approval.gates,
    approvers: approval.approvers,
    remember: approval.remember,
    created_at: isoOf(approval.createdAt),
    expires_at: isoOf(approval.expiresAt),
  };
}

function rememberOf(data: Fields): { scope: 'session' | 'arguments'; ms: number } | undefined {
  if (data.remember === undefined || data.remember === null) return undefined;
  const { scope, ms } = inner(data, 'remember');
  if ((scope === 'session' || scope === 'arguments') && typeof ms === 'number' && Number.isSafeInteger(ms) && ms > 0) {
    return { scope, ms };
  }
  throw new Error('remember has a scope, `session` or `arguments`, and ms');
}

const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
