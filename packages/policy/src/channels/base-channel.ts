import type { Approval, Decider, MessageRef } from '../approvals/approval.js';
import type { DecisionPort } from '../approvals/approvals-port.js';
import type { RememberScope } from '../hooks/hook.js';

/** A request as people see it: redacted, and whole. */
export interface ApprovalCard {
  /** With redacted arguments and title, and without hashes of tokens. So is each approval that a channel gets. */
  readonly approval: Approval;
  /** Arguments as indented JSON, secrets masked. */
  readonly args: string;
  /** Values that were masked. */
  readonly masked: number;
  /** Page of the local service where all of it can be read; absent where there is none. */
  readonly link?: string | undefined;
  /** Single-use token of this request for this channel. Never logged. */
  readonly token: string;
}

/** An HTTP request from a channel's backend: raw bytes, header names in lower case. */
export interface CallbackRequest {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface CallbackReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string;
}

/** A person wants the answer to hold for further calls. It may be refused or shortened, never widened. */
export interface RememberWish {
  readonly scope: RememberScope;
  /** Milliseconds; the hooks' own bound holds as well. */
  readonly ms: number;
  /** For `pattern`, and needed there: path in the arguments → glob. Arguments that are not in it have to be the approved ones. */
  readonly pattern?: Readonly<Record<string, string>> | undefined;
}

/** A person's answer, as a channel understood it. It counts only after all checks of `approvals/decide.ts`. */
export interface ChannelDecision {
  readonly kind: 'decision';
  readonly approvalId: string;
  readonly token: string;
  readonly choice: 'approve' | 'reject';
  readonly remember?: RememberWish | undefined;
  readonly decider: Decider;
  readonly source: Omit<MessageRef, 'channel'>;
  /** Of the delivery: taken once. */
  readonly eventId: string;
  readonly comment?: string | undefined;
}

export type ChannelEvent =
  | ChannelDecision
  /** To be answered as it is: a check of the address, an event that means nothing here. */
  | { readonly kind: 'reply'; readonly reply: CallbackReply };

/** How a decision ended, for the reply and for the message. */
export interface DecisionOutcome {
  readonly ok: boolean;
  /** For a person to read. */
  readonly text: string;
  readonly approval: Approval | undefined;
}

/** What brings requests to people and answers back. */
export interface BaseChannel {
  /** Unique in a policy; stands in `approvers` before the colon. */
  readonly name: string;
  /** What it showed is gone when its process ends: a request that is still pending is shown again, with a new token. @default false */
  readonly forgets?: boolean | undefined;
  /** Given where answers go that no callback brings, such as those typed at a terminal. Called once, before the first `send`. */
  open?(decisions: DecisionPort): void;
  /** Shows it. Rejects when it reached nobody: then the call is blocked unless another channel did. */
  send(card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>>;
  /** Shows what became of it, and takes the buttons away. */
  update(ref: MessageRef, approval: Approval): Promise<void>;
  /** Whether the bytes are from whom they say, and recent; in constant time. A key that is not set refuses. */
  verify?(request: CallbackRequest, now: number): { readonly ok: true } | { readonly ok: false; readonly why: string };
  /** What a verified request says. Throws for what it cannot read. */
  parse?(request: CallbackRequest): ChannelEvent;
  /** The answer to a verified request with a decision. */
  reply?(outcome: DecisionOutcome): CallbackReply;
  /** Tells the person who answered what the reply cannot. Not waited for; a failure changes nothing. */
  tell?(outcome: DecisionOutcome, decision: ChannelDecision): Promise<void>;
  close?(): void | Promise<void>;
}
