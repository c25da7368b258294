/** Why a call is blocked. */
export type BlockKind =
  /** A rule, or a person, said no. */
  | 'denied'
  /** Nobody answered in time: not consented. */
  | 'expired'
  | 'hook_error'
  | 'hook_timeout'
  | 'config_error'
  /** The question was called off. */
  | 'cancelled'
  /** The very same call was begun before a crash, and nobody knows how it ended. */
  | 'outcome_unknown'
  /** The very same call has run. */
  | 'already_run'
  /** Still waiting for a person when the caller stopped waiting; asked again, it is found. */
  | 'pending';

/** What a policy decided about one call. */
export type Verdict = Allowed | Blocked;

interface Decided {
  /** Stands on the tool's span and in the audit log. */
  readonly decisionId: string;
  /** Names of the hooks that decided. */
  readonly by: readonly string[];
  readonly approvalId: string | undefined;
}

export interface Allowed extends Decided {
  readonly decision: 'allow';
  /** Frozen all the way down: run exactly these. */
  readonly args: Readonly<Record<string, unknown>>;
  /** As in `HookContext`. `''` where no hook is about the call, or its arguments have no exact JSON. */
  readonly digest: string;
}

export interface Blocked extends Decided {
  readonly decision: 'block';
  readonly kind: BlockKind;
  /** What the model gets to read. */
  readonly reason: string;
}
