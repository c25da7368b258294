import type { Approval, ApprovalState, Decider, MessageRef } from '../approvals/approval.js';
import type { Remembered } from '../approvals/remembered.js';

/** Changes that go with a new state. */
export interface Transition {
  readonly at: number;
  readonly decider?: Decider | undefined;
  readonly comment?: string | undefined;
  readonly owner?: string | undefined;
}

export interface ApprovalFilter {
  readonly states?: readonly ApprovalState[] | undefined;
  readonly sessionId?: string | undefined;
  /** At most so many, oldest first. @default 100 */
  readonly limit?: number | undefined;
  /** Those created behind this one. */
  readonly after?: string | undefined;
}

/**
 * Where approvals are kept. Each method resolves when what it says is on disk. All of them may reject with
 * `HO_POLICY_STORE`; a call whose approval cannot be written is blocked.
 */
export interface ApprovalStore {
  /** This process, as `claim` writes it: told apart from those before it that are gone. */
  readonly owner: string;
  /** Whether other processes may write to it at the same time. */
  readonly isShared: boolean;
  /** Keeps it, or gives the one that has its idempotency key. */
  create(approval: Approval): Promise<{ readonly approval: Approval; readonly isNew: boolean }>;
  get(id: string): Promise<Approval | undefined>;
  find(idempotencyKey: string): Promise<Approval | undefined>;
  list(filter: ApprovalFilter): Promise<readonly Approval[]>;
  /**
   * One conditional update: to `to` if it is in one of `from`. `undefined`: somebody else was first, or it does not exist. An
   * approval that has expired by `at` is not approved or rejected, whatever its state says.
   */
  move(
    id: string,
    from: readonly ApprovalState[],
    to: ApprovalState,
    change: Transition,
  ): Promise<Approval | undefined>;
  /** Where it was shown, and the hash of the token it carries there. */
  shown(id: string, ref: MessageRef, tokenHash: string): Promise<void>;
  /** Pending ones whose time is over become `expired`. Resolves to them. */
  expire(now: number): Promise<readonly Approval[]>;
  /** The next time at which one expires. */
  nextExpiry(): Promise<number | undefined>;
  /** Those in `executing` whose owner is gone become `outcome_unknown`. Resolves to them. */
  abandon(now: number): Promise<readonly Approval[]>;
  /** An event of a channel is taken once. False: it was taken before. Kept for at least `keepMs`. */
  takeEvent(channel: string, eventId: string, now: number, keepMs: number): Promise<boolean>;
  remember(entry: Remembered): Promise<void>;
  /** All that are in force, newest first. */
  remembered(now: number): Promise<readonly Remembered[]>;
  /** False when there is none of that id. */
  revoke(id: string, now: number): Promise<boolean>;
  /**
   * Tells of changes made by whichever process, by the approval's id; '' where any may have changed, as after a connection was
   * lost. Absent where they are polled for. Returns the function that ends it.
   */
  onChange?(listener: (id: string) => void): () => void;
  close(): Promise<void>;
}
