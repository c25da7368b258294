import type { ToolCall } from '../call/tool-call.js';
import type { ReportSink } from './report.js';
import type { CallEnd, ResultVerdict } from './result.js';
import type { Blocked, Verdict } from './verdict.js';

export interface DecideOptions {
  /** Calls the question off: the call is blocked as `cancelled`, and a person who was asked is asked no more. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds to wait for a person. Then the call is blocked as `pending` and the question stays: the same call, asked
   * again, gets its answer. @default Infinity
   */
  readonly deadlineMs?: number | undefined;
  /** Ends the wait for a person as `deadlineMs` does. */
  readonly leave?: AbortSignal | undefined;
  /** Where reports of this call go. @default the policy's */
  readonly report?: ReportSink | undefined;
  /** Sessions above the call's own, innermost first: one whose start was refused refuses their calls too. @default none */
  readonly parentSessions?: readonly string[] | undefined;
}

/** A session that starts. */
export type SessionInfo = Omit<ToolCall, 'tool' | 'args' | 'callId' | 'turnId' | 'taskId'>;

export interface ResultOptions extends Pick<DecideOptions, 'signal' | 'report'> {
  /** What `decide` gave. */
  readonly verdict?: Verdict | undefined;
}

/** A policy as a hub needs it. */
export interface HubPolicy {
  readonly name: string;
  /** It blocks and changes nothing. */
  readonly isObserving: boolean;
  /** Whether any hook could be about a call of this tool, or about its result. */
  concerns(tool: string, event: 'PreToolUse' | 'PostToolUse'): boolean;
  decide(call: ToolCall, options: DecideOptions): Promise<Verdict>;
  result(call: ToolCall, end: CallEndOf, options: ResultOptions): Promise<ResultVerdict>;
  settle(verdict: Verdict): Promise<void>;
  sessionStart(session: SessionInfo, options: Pick<DecideOptions, 'signal' | 'report'>): Promise<Blocked | undefined>;
}

/** How a call ended. `args`: those it ran with, where they are known. */
export type CallEndOf = Omit<CallEnd, 'args'> & Partial<Pick<CallEnd, 'args'>>;
