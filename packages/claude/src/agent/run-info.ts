import type { Scope } from '@hermes-observer/adapter';

/** What is known of a `query` before it says anything. */
export interface RunInfo {
  /** The prompt, unless it comes as a stream. */
  readonly prompt?: string | undefined;
  readonly model?: string | undefined;
  /** Of the main agent, where it has a name. */
  readonly agentName?: string | undefined;
  /** Models of agents, by name. */
  readonly agentModels: Readonly<Record<string, string>>;
  readonly provider: string;
  /** The call goes on with a session that is there. */
  readonly isResumed: boolean;
  /** Its messages are read; else hooks are all there is. */
  readonly hasMessages: boolean;
  /** Calls begin when the program's own hooks have decided. */
  readonly hasOwnToolHooks: boolean;
  /** The turn around it, and the call in that. */
  readonly around?: Scope | undefined;
  /** Calls back in the program's context where `query` was called: session and active span are those. */
  readonly inContext: <T>(fn: () => T) => T;
}
