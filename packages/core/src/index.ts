export type { HookPayloads, KnownHook } from './contract/hook-map.js';
export type { PostApprovalResponse, PreApprovalRequest } from './contract/hooks/approval.js';
export type { PostAuxiliaryCall, PreAuxiliaryCall } from './contract/hooks/auxiliary.js';
export type {
  AgentLoopStopped,
  GatewayPlatformEvent,
  OnRoomMemberActivity,
  PostGatewayAdmission,
  PreCommand,
  PreGatewayDispatch,
} from './contract/hooks/gateway.js';
export type { OnHumanInputRequest, OnHumanInputResolved } from './contract/hooks/human-input.js';
export type {
  KanbanTaskBlocked,
  KanbanTaskClaimed,
  KanbanTaskCompleted,
  OnKanbanDispatchTick,
  OnKanbanTaskUpdated,
  OnKanbanWorkerExited,
  OnKanbanWorkerSpawned,
  OnKanbanWorkerStaleClaim,
} from './contract/hooks/kanban.js';
export type {
  ObserverClosed,
  ObserverDropped,
  ObserverEvaluation,
  ObserverHello,
  ObserverPolicyDecision,
} from './contract/hooks/observer.js';
export type {
  ApiRequestError,
  PostApiRequest,
  PreApiRequest,
  TransformApiErrorClassification,
} from './contract/hooks/request.js';
export type { OnSessionFinalize, OnSessionReset, OnSessionStart } from './contract/hooks/session.js';
export type { OnSkillLifecycle } from './contract/hooks/skill.js';
export type { PreTranscription, PreTtsSynthesis } from './contract/hooks/speech.js';
export type { OnInterimMessage, OnStreamDelta, OnStreamEnd, OnStreamStart } from './contract/hooks/stream.js';
export type { SubagentStart, SubagentStop } from './contract/hooks/subagent.js';
export type { PostToolCall, PreToolCall, TransformTerminalOutput, TransformToolResult } from './contract/hooks/tool.js';
export type { OnSessionEnd, PostLlmCall, PreLlmCall, PreVerify, TransformLlmOutput } from './contract/hooks/turn.js';
export type { ParsedRecord } from './contract/parse-record.js';
export { parseRecord, toRecord } from './contract/parse-record.js';
export type { EmitMeta, HookRecord, Payload, TraceContext } from './contract/record.js';
export { HookMeta } from './contract/record.js';
export type { HrTime } from './contract/time.js';
export {
  compareTime,
  formatUnixNano,
  LONGEST_TIMER_MS,
  laterOf,
  millisBetween,
  minusMillis,
  now,
  parseUnixNano,
  safeTime,
} from './contract/time.js';
export type { AskContext, AskOptions } from './dispatch/ask.js';
export type { HookMessage } from './dispatch/channel.js';
export { channelName, onHookChannel } from './dispatch/channel.js';
export type { AskResult, AskResults } from './dispatch/directives.js';
export type { FailureCounts, FailureKind, FailureReport } from './dispatch/failures.js';
export type { ErrorClassification, GatewayDecision, VerifyDecision } from './dispatch/first-inquiry.js';
export type { HookName, HubOptions, HubStats, PayloadOf, PluginHub } from './dispatch/hub.js';
export { Hub } from './dispatch/hub.js';
export type { Answers, TranscriptionFields } from './dispatch/merge-inquiry.js';
export type { Plugin } from './dispatch/plugin.js';
export type { RegistrationOptions } from './dispatch/registration.js';
export type { SpeechDecision } from './dispatch/speech-inquiry.js';
export type { AddedContext, TransformedText } from './dispatch/text-inquiry.js';
export { isThenable, settle } from './dispatch/thenable.js';
export type { FailedAnswer, Outcome } from './dispatch/time-limit.js';
export { callWithin } from './dispatch/time-limit.js';
export type { ToolArgs, ToolBlockKind, ToolDecision, ToolDirective } from './dispatch/tool-inquiry.js';
export type { ErrorCode } from './errors.js';
export { ERROR_CODES, ObserverError } from './errors.js';
export { formatRecord } from './ndjson/format-record.js';
export type { LineSink } from './ndjson/line-splitter.js';
export { DEFAULT_MAX_LINE_BYTES, LineSplitter } from './ndjson/line-splitter.js';
export type { MalformedLine, NdjsonOptions } from './ndjson/parser.js';
export { NdjsonParser } from './ndjson/parser.js';
export type { NdjsonSource } from './ndjson/reader.js';
export { readRecords } from './ndjson/reader.js';
export { recordOf } from './ndjson/record-of.js';
export { NdjsonWriter } from './ndjson/writer.js';
export { checkKinds, demandOption, type OptionKind, type OptionKinds } from './option-kinds.js';
export type { PatternKind, RedactionKind } from './redaction/kinds.js';
export { PATTERN_KINDS } from './redaction/kinds.js';
export type { RedactionMode, RedactionOptions, RedactionPath, RedactionRule } from './redaction/options.js';
export { REDACTED, redactText } from './redaction/redact-text.js';
export { redactValue } from './redaction/redact-value.js';
export { Redactor } from './redaction/redactor.js';
export { type Failure, failureOf } from './reporting/failure.js';
export { idOf, newId } from './reporting/ids.js';
export { contractUsage, fieldsOf, type TokenUsage } from './reporting/token-usage.js';
export type { JsonObject, JsonValue } from './snapshot/json.js';
export type { SnapshotLimits } from './snapshot/limits.js';
export { isTooDeep, shallow } from './snapshot/shallow.js';
export type { Snapshot } from './snapshot/snapshot.js';
export { snapshot, snapshotOf } from './snapshot/snapshot.js';
export { cutString, wellFormed } from './snapshot/text.js';
