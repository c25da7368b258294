/** A tool call that wants to run, as policy is asked about it. Every id may be empty: then it is not known. */
export interface ToolCall {
  readonly tool: string;
  /** As asked for. Plain JSON values; anything else can be looked at by rules, but not approved by a person. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly callId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly taskId: string;
  /** Name of the agent. */
  readonly agent?: string | undefined;
  /** Role of the child agent that calls, and of those above it, innermost first. Empty for the agent itself; `undefined` where it is not known. */
  readonly childRoles?: readonly string[] | undefined;
  readonly platform?: string | undefined;
  readonly profile?: string | undefined;
  /** Who the agent works for. @default '' */
  readonly user?: string | undefined;
  /** What else the host knows. Hooks may read it; nothing here does. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
