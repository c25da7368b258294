export type { Approval, ApprovalState, Decider, MessageRef } from './approvals/approval.js';
export type { Remembered } from './approvals/remembered.js';
export type { ToolCall } from './call/tool-call.js';
export type {
  ApprovalCard,
  BaseChannel,
  CallbackReply,
  CallbackRequest,
  ChannelDecision,
  ChannelEvent,
  DecisionOutcome,
} from './channels/base-channel.js';
export type { ReportSink } from './engine/report.js';
export type { Allowed, Blocked, BlockKind, Verdict } from './engine/verdict.js';
export type {
  ApprovalTerms,
  Conclusion,
  HookAnswer,
  HookContext,
  HookEvent,
  HookMode,
  HookResult,
  PolicyHook,
  RememberScope,
} from './hooks/hook.js';
export type { ArgTest, Matcher } from './hooks/matcher.js';
export type { ApprovalFilter, ApprovalStore, Transition } from './stores/approval-store.js';
