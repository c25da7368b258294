export type { Approval, ApprovalState, Decider, MessageRef } from './approvals/approval.js';
export type { ApprovalCounts, ApprovalsOptions } from './approvals/approvals.js';
export { Approvals } from './approvals/approvals.js';
export type { ApprovalRequest, ApprovalsPort, DecisionPort } from './approvals/approvals-port.js';
export type { RefusalKind } from './approvals/check-answer.js';
export type { Answer } from './approvals/decisions.js';
export type { IsRequester } from './approvals/may-decide.js';
export type { Remembered } from './approvals/remembered.js';
export { ApprovalGate, type ApprovalGateOptions } from './builtin/approval-gate.js';
export { AuditLog, type AuditLogOptions } from './builtin/audit/audit-log.js';
export {
  type AuditProblem,
  type AuditVerification,
  type VerifyAuditOptions,
  verifyAudit,
} from './builtin/audit/verify-audit.js';
export { BUILTIN_NAMES, builtinHooks } from './builtin/catalog.js';
export { CommandGuard, type CommandGuardOptions } from './builtin/command/command-guard.js';
export type { CommandRule } from './builtin/command/command-rule.js';
export { RateLimit, type RateLimitOptions } from './builtin/limits/rate-limit.js';
export { type SpendBounds, SpendLimit, type SpendLimitOptions } from './builtin/limits/spend-limit.js';
export { PathGuard, type PathGuardOptions } from './builtin/path/path-guard.js';
export { ReadOnlyGuard, type ReadOnlyGuardOptions } from './builtin/read-only/read-only-guard.js';
export { ResultTruncate, type ResultTruncateOptions } from './builtin/truncate/result-truncate.js';
export { canonicalJson } from './call/canonical.js';
export { argsDigest, callDigest } from './call/digest.js';
export type { ToolCall } from './call/tool-call.js';
export type {
  ApprovalCard,
  BaseChannel,
  CallbackReply,
  CallbackRequest,
  ChannelDecision,
  ChannelEvent,
  DecisionOutcome,
  RememberWish,
} from './channels/base-channel.js';
export type { CallbackServerOptions } from './channels/callback-server.js';
export { CallbackServer } from './channels/callback-server.js';
export type { CallbackOptions } from './channels/callbacks.js';
export { handleCallback, MOST_CALLBACK_BYTES } from './channels/callbacks.js';
export type { FeishuChannelOptions } from './channels/feishu/feishu-channel.js';
export { FeishuChannel } from './channels/feishu/feishu-channel.js';
export type { SlackChannelOptions } from './channels/slack/slack-channel.js';
export { SlackChannel } from './channels/slack/slack-channel.js';
export type { TerminalChannelOptions } from './channels/terminal/terminal-channel.js';
export { TerminalChannel } from './channels/terminal/terminal-channel.js';
export { visibleLine, visibleText } from './channels/visible-text.js';
export type { WebChannelOptions, WebRequest } from './channels/web/web-channel.js';
export { WebChannel } from './channels/web/web-channel.js';
export { StandardWebhook } from './channels/webhook/standard-webhook.js';
export type { WebhookChannelOptions } from './channels/webhook/webhook-channel.js';
export { WebhookChannel } from './channels/webhook/webhook-channel.js';
export { PolicyBlockedError } from './engine/blocked-error.js';
export type { Denial } from './engine/compose.js';
export type { AttachOptions } from './engine/hub-plugin.js';
export type { DecideOptions, ResultOptions, SessionInfo } from './engine/hub-policy.js';
export type { PolicyFailure, PolicyOptions } from './engine/options.js';
export type { Explanation, PolicyStats } from './engine/policy.js';
export { createPolicy, Policy } from './engine/policy.js';
export type { ReportSink } from './engine/report.js';
export type { CallEnd, ResultVerdict } from './engine/result.js';
export type { Allowed, Blocked, BlockKind, Verdict } from './engine/verdict.js';
export type {
  Answered,
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
export { type CommandHookOptions, commandHook } from './scripts/command-hook.js';
export { type ModuleHookOptions, moduleHook } from './scripts/module-hook.js';
export { PinFile } from './scripts/pin-file.js';
export type { ApprovalFilter, ApprovalStore, Transition } from './stores/approval-store.js';
export type { FileStoreOptions } from './stores/file-store.js';
export { FileStore } from './stores/file-store.js';
export type { PgClient, PgPool } from './stores/postgres-driver.js';
export type { PostgresStoreOptions } from './stores/postgres-store.js';
export { openPostgresStore } from './stores/postgres-store.js';
export type { SqlStoreOptions } from './stores/sql-store.js';
export { SqlStore } from './stores/sql-store.js';
export { hasSqlite, openSqliteStore } from './stores/sqlite-store.js';
