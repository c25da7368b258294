import type { ChannelDecision, DecisionOutcome } from '../channels/base-channel.js';
import type { RememberScope } from '../hooks/hook.js';
import type { Approval } from './approval.js';
import type { Remembered } from './remembered.js';

/** What a call needs a person's yes for: all terms of the hooks that ask, put together. */
export interface ApprovalRequest {
  readonly tool: string;
  /** Canonical JSON. */
  readonly args: string;
  readonly digest: string;
  /** SHA-256 in hex of tool and canonical arguments alone. */
  readonly argsDigest: string;
  readonly callId: string;
  readonly turnId: string;
  readonly taskId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly user: string;
  readonly title: string;
  readonly gates: Approval['gates'];
  readonly approvers: readonly string[];
  readonly requesterMayApprove: boolean;
  readonly remember: { readonly scopes: readonly RememberScope[]; readonly maxMs: number } | null;
  readonly channels: readonly string[];
  readonly decisionId: string;
  /** Milliseconds. `Infinity`: never. */
  readonly expiresMs: number;
}

/** Approvals as the engine uses them. */
export interface ApprovalsPort {
  /** An answer in force that covers all gates of the request. */
  covering(request: ApprovalRequest): Promise<Remembered | undefined>;
  /**
   * Creates the request, or finds that of the very same call, and shows it where it was not shown. Rejects when no channel could
   * be reached: the request is then cancelled.
   */
  request(request: ApprovalRequest): Promise<Approval>;
  /** Resolves when it is no longer pending. Rejects with the signal's reason; the request stays pending. */
  answered(id: string, signal: AbortSignal | undefined): Promise<Approval>;
  /** approved → executing, on disk. `undefined`: not by us. */
  claim(id: string): Promise<Approval | undefined>;
  /** executing → executed. */
  settle(id: string): Promise<void>;
  /** pending → cancelled. So is what this process has claimed and not run. */
  cancel(id: string): Promise<void>;
}

/** Approvals as channels and commands use them. */
export interface DecisionPort {
  /**
   * Checks the answer (token, source, approver, expiry, state) and decides by one conditional update. Says why not otherwise;
   * never throws for what an answer says.
   */
  decide(channel: string, decision: ChannelDecision, now: number): Promise<DecisionOutcome>;
  /** True the first time. */
  isNewEvent(channel: string, eventId: string, now: number): Promise<boolean>;
  /** Redacted, as are those of `get`: they are for people to read. Oldest first. */
  pending(): Promise<readonly Approval[]>;
  get(id: string): Promise<Approval | undefined>;
}
