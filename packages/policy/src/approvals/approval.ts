import type { RememberScope } from '../hooks/hook.js';

export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'executing'
  | 'executed'
  | 'outcome_unknown';

/** Who decided: a channel and an immutable id in it, never a display name. */
export interface Decider {
  readonly channel: string;
  readonly id: string;
}

/** Where a request was shown. What an answer says of itself has to equal it. */
export interface MessageRef {
  readonly channel: string;
  readonly tenant: string;
  readonly chat: string;
  readonly message: string;
}

/** A `MessageRef` as one text: a token counts where it was shown. */
export function placeOf({ channel, tenant, chat, message }: MessageRef): string {
  return JSON.stringify([channel, tenant, chat, message]);
}

/** One durable request. Plain JSON; times are Unix milliseconds. */
export interface Approval {
  /** 128 random bits, base64url. */
  readonly id: string;
  readonly state: ApprovalState;
  /** Session, call id and digest, hashed. */
  readonly idempotencyKey: string;
  readonly tool: string;
  /** Canonical JSON of the arguments: what a person is shown, and what runs. */
  readonly args: string;
  /** SHA-256 in hex of tool, canonical arguments, agent, session and call. */
  readonly digest: string;
  /** SHA-256 in hex of what a person is shown: redacted. */
  readonly previewDigest: string;
  readonly callId: string;
  readonly turnId: string;
  readonly taskId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly user: string;
  readonly title: string;
  /** Hooks that asked, with their versions where they have one. */
  readonly gates: readonly { readonly name: string; readonly version?: string }[];
  /** Empty: whoever the channel lets. */
  readonly approvers: readonly string[];
  readonly requesterMayApprove: boolean;
  readonly remember: { readonly scopes: readonly RememberScope[]; readonly maxMs: number } | null;
  readonly channels: readonly string[];
  readonly decisionId: string;
  readonly createdAt: number;
  /** `null`: never. */
  readonly expiresAt: number | null;
  readonly decidedAt: number | null;
  readonly decider: Decider | null;
  readonly comment: string;
  /** SHA-256 in hex of the tokens that it was shown with, by place (`placeOf`): each process shows it with one of its own. */
  readonly tokenHashes: Readonly<Record<string, readonly string[]>>;
  readonly messages: readonly MessageRef[];
  /** The process that runs it. */
  readonly owner: string;
  readonly executingAt: number | null;
  readonly settledAt: number | null;
}
