import type { ApprovalCard, BaseChannel, ChannelDecision } from '../channels/base-channel.js';
import type { Approval, MessageRef } from './approval.js';
import type { ApprovalRequest } from './approvals-port.js';

/** A channel that keeps what it was given, and makes the answers that a person could give. */
export class RecordingChannel implements BaseChannel {
  readonly name: string;
  forgets = false;
  isDown = false;
  sendDelayMs = 0;
  /** The card is out, and answered, before `send` is done. */
  onCard: ((card: ApprovalCard) => void) | undefined;
  readonly cards: ApprovalCard[] = [];
  readonly updates: { readonly ref: MessageRef; readonly approval: Approval }[] = [];

  constructor(name: string) {
    this.name = name;
  }

  async send(card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    if (this.isDown) throw new Error('down');
    this.cards.push(card);
    this.onCard?.(card);
    if (this.sendDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.sendDelayMs));
    return { tenant: 'T1', chat: 'C1', message: `m${this.cards.length}` };
  }

  async update(ref: MessageRef, approval: Approval): Promise<void> {
    if (this.isDown) throw new Error('down');
    this.updates.push({ ref, approval });
  }

  /** What is answered to the card of that number, from 1. */
  answer(
    choice: 'approve' | 'reject',
    fields: Partial<ChannelDecision> = {},
    card = this.cards.length,
  ): ChannelDecision {
    const shown = this.cards[card - 1];
    if (shown === undefined) throw new Error('no such card');
    return {
      kind: 'decision',
      approvalId: shown.approval.id,
      token: shown.token,
      choice,
      decider: { channel: this.name, id: 'U1' },
      source: { tenant: 'T1', chat: 'C1', message: `m${card}` },
      eventId: `event ${card} ${choice}`,
      ...fields,
    };
  }
}

let calls = 0;

export function requestOf(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    tool: 'pay',
    args: '{"amount":120,"to":"ACME"}',
    digest: `digest ${++calls}`,
    argsDigest: 'args digest',
    callId: `call ${calls}`,
    turnId: 'turn',
    taskId: 'task',
    sessionId: 'session',
    agent: 'agent',
    user: 'alice',
    title: 'Pay 120 to ACME',
    gates: [{ name: 'payments', version: '1' }],
    approvers: [],
    requesterMayApprove: true,
    remember: null,
    channels: [],
    decisionId: 'decision',
    expiresMs: 60_000,
    ...fields,
  };
}
