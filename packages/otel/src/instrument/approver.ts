/**
 * What a person or program answers to a call that needs approval. `once`, `session`, `always` and `smart_approve` allow
 * it; anything else refuses it, so that a word nobody expected runs nothing.
 */
export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny' | 'timeout' | (string & {});

export interface ApprovalQuestion {
  readonly toolName: string;
  readonly args: unknown;
  /** Why a responder wants it approved. */
  readonly reason: string | undefined;
  /** Key to remember an answer by: the responder's `rule_key`, else the tool's name. Nothing here remembers any. */
  readonly patternKey: string;
  /** Aborts when the question is no longer of interest. */
  readonly signal: AbortSignal | undefined;
}

const GRANTS: ReadonlySet<unknown> = new Set(['once', 'session', 'always', 'smart_approve']);

export const isGranted = (choice: unknown): boolean => GRANTS.has(choice);
