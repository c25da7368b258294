import type { Matcher } from './matcher.js';

export type HookEvent = 'SessionStart' | 'PreToolUse' | 'PostToolUse';

/** `enforce`: what it says is done. `observe`: it is reported, and nothing else. */
export type HookMode = 'enforce' | 'observe';

/** What a hook is told. Frozen, all the way down. */
export interface HookContext {
  readonly event: HookEvent;
  readonly tool: string;
  /** Arguments as they stand: for rules, those that would run. Empty for `SessionStart`. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly callId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly taskId: string;
  readonly agent: string;
  /** Roles of the child agent that calls and of those above it, innermost first. Empty for the agent itself, and where none is known. */
  readonly childRoles: readonly string[];
  readonly platform: string;
  readonly profile: string;
  readonly user: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** One call's way through the policy: the same for each time that a hook is asked about it. */
  readonly decisionId: string;
  /** Of the canonical arguments, with tool, agent, session and call. Empty for modifiers and other events. */
  readonly digest: string;
  /** `PostToolUse` only: what the model is to get, and how the call ended. */
  readonly result?: unknown;
  readonly status?: 'ok' | 'error' | 'cancelled' | 'timeout' | 'blocked' | undefined;
  readonly errorType?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
  /** Whether the policy runs in evaluation mode. */
  readonly evaluation: boolean;
}

/** What an approval has to be like. Where several hooks ask, all of it holds: the shortest expiry, the approvers in all lists. */
export interface ApprovalTerms {
  /** One line for the person who decides. */
  readonly title?: string | undefined;
  /** Milliseconds until it counts as not given. @default one hour. `Infinity`: never expires */
  readonly expiresMs?: number | undefined;
  /** Who may decide: `<channel>:<immutable id>`, such as `slack:U024BE7LH`. @default whoever the channel lets */
  readonly approvers?: readonly string[] | undefined;
  /** Names of the channels it goes to. @default all of the policy */
  readonly channels?: readonly string[] | undefined;
  /** The user of the call may approve it. @default true */
  readonly requesterMayApprove?: boolean | undefined;
  /** An answer may be remembered for this long at most, for these scopes. @default not at all */
  readonly remember?: { readonly scopes: readonly RememberScope[]; readonly maxMs: number } | undefined;
}

/** What a remembered answer covers: this session, these very arguments, or a pattern over tool and arguments. */
export type RememberScope = 'session' | 'arguments' | 'pattern';

/** What a hook says. Nothing (`undefined`) is: no objection. Any other shape, or an unknown field, blocks. */
export interface HookResult {
  /** `false` blocks. @default true */
  readonly allow?: boolean | undefined;
  /** Why it blocks: what the model gets to read. */
  readonly error?: string | undefined;
  /** `PreToolUse`: a person has to approve. */
  readonly ask?: ApprovalTerms | undefined;
  /** `PreToolUse`: all arguments to go on with; they replace the others. */
  readonly modifiedArgs?: Readonly<Record<string, unknown>> | undefined;
  /** `PostToolUse`: what the model gets instead. */
  readonly modifiedResult?: unknown;
  /** What it did beside deciding. Content. */
  readonly sideEffects?: readonly string[] | undefined;
}

/** What stands after the rules, before anything runs. */
export interface Conclusion {
  readonly outcome: 'allow' | 'deny' | 'ask';
  readonly kind: string | undefined;
  readonly reason: string | undefined;
  /** Names of the hooks that decided. */
  readonly by: readonly string[];
}

/** What came of putting a call to a person. */
export interface Answered {
  /** Whether the call runs now. */
  readonly outcome: 'allow' | 'deny';
  /** `allowed`, `remembered` (an earlier answer covers it), or why it does not run: `denied` by a person, `expired`, `pending`, … */
  readonly kind: string;
  /** What the model reads where it does not run. Content: it has a person's comment. */
  readonly reason: string | undefined;
  /** Of the request that was answered, or of the earlier one. */
  readonly approvalId: string | undefined;
  /** Of the remembered answer that covers it. */
  readonly rememberedId: string | undefined;
  /** Opaque: the same for the same person. `undefined` where nobody decided. */
  readonly approverRef: string | undefined;
  /** `<channel>:<id>` of whoever decided, for hooks that ask for it by `learnsApprover`. */
  readonly approver: string | undefined;
}

export type HookAnswer = HookResult | undefined | null;

/** One hook. Functions and classes alike: whatever has these fields. */
export interface PolicyHook {
  /** Unique in a policy, for each event. */
  readonly name: string;
  readonly event: HookEvent;
  /** Lower runs first; ties by order of registration. @default 50 */
  readonly priority?: number | undefined;
  /** @default all calls */
  readonly matcher?: Matcher | undefined;
  /** It changes arguments: it runs before the rules, once. @default false */
  readonly modifies?: boolean | undefined;
  /** @default 'enforce' */
  readonly mode?: HookMode | undefined;
  /** What counts when it throws, is late or answers nonsense. @default 'block' */
  readonly onError?: 'block' | 'allow' | undefined;
  /** Milliseconds for its answer. @default 30000 */
  readonly timeoutMs?: number | undefined;
  /** Roles of child agents it does not hold for; each skip is reported. @default none */
  readonly exemptRoles?: readonly string[] | undefined;
  /** Shown beside its decisions. */
  readonly version?: string | undefined;
  /** A cheap further condition. One that throws counts as an error of the hook. */
  shouldTrigger?(context: HookContext): boolean;
  execute(context: HookContext): HookAnswer | Promise<HookAnswer>;
  /**
   * Told what the rules came to, for each call the hook matches, before the call runs or is refused; waited for, and one that
   * fails blocks as `execute` would. What must be on disk before a call runs is written here.
   */
  concluded?(context: HookContext, conclusion: Conclusion): void | Promise<void>;
  /**
   * Told what came of a question to people, for each call of which `concluded` was told `ask`, before the call runs or is
   * refused; also that nobody waits for the answer any more (`pending`, `cancelled`), and that another hook could not take
   * note of the conclusion. Waited for, and one that fails blocks as `concluded` does.
   */
  answered?(context: HookContext, answer: Answered): void | Promise<void>;
  /** `answered` is told who decided. @default false */
  readonly learnsApprover?: boolean | undefined;
  /** The policy is closed. */
  close?(): void | Promise<void>;
}
