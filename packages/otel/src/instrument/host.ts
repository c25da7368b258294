import type { Hub } from '@hermes-observer/core';
import type { Context } from '@opentelemetry/api';
import type { ApprovalChoice, ApprovalQuestion } from './approver.js';

/** What instrumentation needs of whoever runs it. `Observer` is one. */
export interface InstrumentationHost {
  /** Hears the hooks, and is asked before a tool runs. */
  readonly hub: Hub;
  /** The context in which the span of these ids is the active one; `undefined` when there is no such span. */
  contextOf(ids: ActiveIds): Context | undefined;
  /** Asked when a responder wants a tool call approved. Without it such a call is blocked. */
  approve?(question: ApprovalQuestion): ApprovalChoice | Promise<ApprovalChoice>;
}

/** Names a turn, or a tool call or request in it. */
export interface ActiveIds {
  readonly turnId: string;
  readonly toolCallId?: string | undefined;
  readonly requestId?: string | undefined;
}
