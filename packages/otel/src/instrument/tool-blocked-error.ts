import { ObserverError, type ToolBlockKind, type ToolDecision } from '@hermes-observer/core';

/**
 * What blocked a call: a responder said so (`denied`); it threw (`hook_error`) or gave no answer in time
 * (`hook_timeout`), or blocked for a reason of its own, as `ToolBlockKind` has them; the approver refused (`approval_denied`), gave no answer (`approval_timeout`) or threw
 * (`approval_failed`); or there is no approver to ask (`no_approver`).
 */
export type BlockKind = ToolBlockKind | 'approval_denied' | 'approval_timeout' | 'approval_failed' | 'no_approver';

/**
 * A tool call that may not run; its function was not called. An agent catches this and gives `reason` to its model as
 * the result of the call. `code` is `HO_TOOL_BLOCKED`.
 */
export class ToolBlockedError extends ObserverError {
  readonly toolName: string;
  readonly callId: string;
  readonly reason: string;
  readonly kind: BlockKind;
  /** What the responders decided. */
  readonly decision: ToolDecision;

  constructor(toolName: string, callId: string, kind: BlockKind, reason: string, decision: ToolDecision) {
    super('HO_TOOL_BLOCKED', `The call of ${toolName} was blocked: ${reason}`);
    this.name = 'ToolBlockedError';
    this.toolName = toolName;
    this.callId = callId;
    this.kind = kind;
    this.reason = reason;
    this.decision = decision;
  }
}
