export type { ClockLimits, ClosedDecision } from './assembly/clock.js';
export { DEFAULT_CLOCK } from './assembly/clock.js';
export { type AssemblyLimits, DEFAULT_LIMITS } from './assembly/limits.js';
export type { SavedAssembly } from './assembly/saved-assembly.js';
export { SequenceIndex } from './assembly/sequence.js';
export type { IncompleteReason } from './assembly/span-node.js';
export type { AssemblyStats } from './assembly/stats.js';
export { statusInResult } from './assembly/tool-end.js';
export type { Trace } from './assembly/trace.js';
export type { TraceWatch } from './assembly/trace-watch.js';
export { CAPTURE_MODES, type Capture } from './attributes/capture.js';
export * as semconv from './attributes/semconv.js';
export { SCOPE_NAME, SCOPE_SCHEMA_URL, SCOPE_VERSION } from './bridge/scope.js';
export { type HookSource, SpanBridge, type SpanBridgeOptions } from './bridge/span-bridge.js';
export { loadJsonTraceSerializer } from './exporters/json-trace-serializer.js';
export type { Answer } from './exporters/otlp-answer.js';
export { takenAnswer } from './exporters/otlp-answer.js';
export type { OtlpFileExporterOptions } from './exporters/otlp-file.js';
export { OtlpFileExporter } from './exporters/otlp-file.js';
export type { OtlpHttpExporterOptions } from './exporters/otlp-http.js';
export { OtlpHttpExporter } from './exporters/otlp-http.js';
export { type TraceRequest, TraceRequests } from './exporters/trace-requests.js';
export { withLength } from './exporters/with-length.js';
export type { ApprovalInfo } from './instrument/approval.js';
export type { ApprovalChoice, ApprovalQuestion } from './instrument/approver.js';
export type { ActiveIds, InstrumentationHost } from './instrument/host.js';
export type { InstrumentedRequest, RequestInfo, RequestReport } from './instrument/request.js';
export type { SubagentInfo } from './instrument/subagent.js';
export type { TokenUsage } from './instrument/token-usage.js';
export type { ToolCall, ToolInfo } from './instrument/tool.js';
export { type BlockKind, ToolBlockedError } from './instrument/tool-blocked-error.js';
export { InstrumentedTurn, type RunSubagent, type TurnInfo } from './instrument/turn.js';
export { createObserver } from './observer/create-observer.js';
export { resourceAttributes } from './observer/environment.js';
export type { Observer, ObserverCounts } from './observer/observer.js';
export type { CapturingExporter, ObserverOptions } from './observer/options.js';
export type { LosslessSpanProcessorOptions } from './pipeline/lossless-span-processor.js';
export { LosslessSpanProcessor } from './pipeline/lossless-span-processor.js';
export type {
  FlushOptions,
  ObserverTracerProviderOptions,
  ProviderCounts,
} from './provider/observer-tracer-provider.js';
export { ObserverTracerProvider } from './provider/observer-tracer-provider.js';
export type { ProcessorErrorHandler } from './provider/processor-chain.js';
export { createResource, observerResource } from './provider/resource.js';
export { ObserverSpan } from './provider/span.js';
export type { ObserverSpanOptions, ObserverTracer } from './provider/tracer.js';
