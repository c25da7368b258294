import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Approval, MessageRef } from '../approvals/approval.js';
import type { DecisionPort } from '../approvals/approvals-port.js';
import type { ApprovalCard, BaseChannel, CallbackRequest, ChannelDecision, DecisionOutcome } from './base-channel.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export function someApproval(given: Partial<Approval> = {}): Approval {
  return {
    id: randomBytes(16).toString('base64url'),
    state: 'pending',
    idempotencyKey: sha256('key'),
    tool: 'payments.send',
    args: '{"amount":5000,"to":"ACME"}',
    digest: sha256('digest'),
    previewDigest: sha256('preview'),
    callId: 'call-1',
    turnId: 'turn-1',
    taskId: '',
    sessionId: 'session-1',
    agent: 'bookkeeper',
    user: 'ada',
    title: 'Over the limit of 1,000',
    gates: [{ name: 'payments', version: '2' }],
    approvers: [],
    requesterMayApprove: true,
    remember: null,
    channels: [],
    decisionId: 'decision-1',
    createdAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
    decidedAt: null,
    decider: null,
    comment: '',
    tokenHashes: {},
    messages: [],
    owner: '',
    executingAt: null,
    settledAt: null,
    ...given,
  };
}

export function cardOf(args: unknown, given: Partial<Approval> = {}, link?: string): ApprovalCard {
  const text = typeof args === 'string' ? args : JSON.stringify(args, undefined, 2);
  return { approval: someApproval(given), args: text, masked: 0, link, token: randomBytes(16).toString('base64url') };
}

/** Approvals in memory, with the checks that decide whether an answer counts. Asks channels as the real ones do. */
export class MemoryDecisions implements DecisionPort {
  readonly decided: ChannelDecision[] = [];
  readonly cards = new Map<string, ApprovalCard>();
  /** Resolves before a decision is made. */
  hold: Promise<void> | undefined;
  /** What a store throws. */
  fault: Error | undefined;
  readonly #approvals = new Map<string, Approval>();
  readonly #refs = new Map<string, Omit<MessageRef, 'channel'>>();
  readonly #events = new Set<string>();

  async show(channel: BaseChannel, card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    this.#approvals.set(card.approval.id, card.approval);
    this.cards.set(card.approval.id, card);
    const ref = await channel.send(card);
    this.#refs.set(card.approval.id, ref);
    return ref;
  }

  async decide(channel: string, decision: ChannelDecision, now: number): Promise<DecisionOutcome> {
    await this.hold;
    if (this.fault !== undefined) throw this.fault;
    const approval = this.#approvals.get(decision.approvalId);
    const refuse = (text: string) => ({ ok: false, text, approval });
    if (approval === undefined) return refuse('There is no such request.');
    if (decision.token !== this.cards.get(approval.id)?.token) return refuse('The code is wrong.');
    const ref = this.#refs.get(approval.id) ?? decision.source;
    if (JSON.stringify(ref) !== JSON.stringify({ ...ref, ...decision.source }))
      return refuse('It came from elsewhere.');
    const who = `${decision.decider.channel}:${decision.decider.id}`;
    if (approval.approvers.length > 0 && !approval.approvers.includes(who)) return refuse('You may not decide this.');
    if (approval.state !== 'pending') return refuse('It was decided before.');
    const state = decision.choice === 'approve' ? ('approved' as const) : ('rejected' as const);
    const next = { ...approval, state, decider: { ...decision.decider, channel }, decidedAt: now };
    this.#approvals.set(approval.id, next);
    this.decided.push(decision);
    return { ok: true, text: `${state}.`, approval: next };
  }

  async isNewEvent(channel: string, eventId: string): Promise<boolean> {
    if (this.fault !== undefined) throw this.fault;
    const key = `${channel} ${eventId}`;
    if (this.#events.has(key)) return false;
    this.#events.add(key);
    return true;
  }

  async pending(): Promise<readonly Approval[]> {
    return [...this.#approvals.values()].filter(({ state }) => state === 'pending');
  }

  async get(id: string): Promise<Approval | undefined> {
    return this.#approvals.get(id);
  }
}

/** What a local server got. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

/** A server on the loopback interface. */
export class LocalServer {
  readonly got: Got[] = [];
  readonly #server: Server;

  constructor(answer: (got: Got) => Answer | Promise<Answer>) {
    this.#server = createServer(async (request: IncomingMessage, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const { method = '', url = '' } = request;
      const got = { method, path: url, headers: request.headers as Record<string, string>, text };
      this.got.push(got);
      const { status = 200, headers = {}, body } = await answer(got);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function callback(
  body: string | Uint8Array,
  headers: Record<string, string | readonly string[]> = {},
  query: Record<string, string> = {},
): CallbackRequest {
  return { body: typeof body === 'string' ? Buffer.from(body) : body, headers, query };
}

export async function eventually(isSo: () => boolean, ms = 5000): Promise<void> {
  const end = Date.now() + ms;
  while (!isSo()) {
    if (Date.now() > end) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Markup of chats, of pages and of terminals, and what hides or turns text. */
export const HOSTILE = [
  '<!channel> <!here> <@U0001> <#C0001> <https://evil.example|Read it on a page>',
  '<at id=all></at> <at user_id="ou_1">x</at> [link](https://evil.example) **bold**',
  '``` \n"}]}, {"type":"actions"}',
  '\u202e;evas ot 1 rm\u202c \u2066x\u2069 a\u200bb \u{e0041} \ud800 \u2800\u00a0',
  '\u001b[2J\u001b[1;1H\u001b]8;;https://evil.example\u0007Approve\u001b]8;;\u0007\r\u0008\u009b1A',
  '</pre><script>alert(1)</script><img src=x onerror=alert(1)>\'"`&',
  'Type one word: y (Approve once), n (Reject) > ',
];

/** What no text that people are shown may have in it: controls but line breaks, directions, what cannot be seen, halves of pairs. */
export const UNSEEN = /(?!\n)[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u200b\u2800\u00a0\u{e0041}]/u;
