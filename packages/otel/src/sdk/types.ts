/**
 * The shapes of the OpenTelemetry SDK that processors, exporters and samplers are written against, in terms of the API
 * alone. Objects of the SDK 2.x and 3.x fit them, and ours fit theirs, so that no SDK package is needed for the types.
 */
import type {
  Span as ApiSpan,
  Attributes,
  Context,
  HrTime,
  Link,
  SpanContext,
  SpanKind,
  SpanStatus,
  TraceState,
} from '@opentelemetry/api';

export interface Resource {
  readonly asyncAttributesPending?: boolean;
  readonly attributes: Attributes;
  readonly schemaUrl?: string;
  waitForAsyncAttributes?(): Promise<void>;
  merge(other: Resource | null): Resource;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of it differs between versions
  getRawAttributes(): [string, any][];
}

export interface InstrumentationScope {
  readonly name: string;
  readonly version?: string;
  readonly schemaUrl?: string;
}

export interface TimedEvent {
  time: HrTime;
  name: string;
  attributes?: Attributes;
  droppedAttributesCount?: number;
}

export interface ReadableSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanContext: () => SpanContext;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly status: SpanStatus;
  readonly attributes: Attributes;
  readonly links: Link[];
  readonly events: TimedEvent[];
  readonly duration: HrTime;
  readonly ended: boolean;
  readonly resource: Resource;
  readonly instrumentationScope: InstrumentationScope;
  readonly droppedAttributesCount: number;
  readonly droppedEventsCount: number;
  readonly droppedLinksCount: number;
}

/** A span as a processor gets it at its start: it can be read and changed. */
export type Span = ApiSpan & ReadableSpan;

export interface SpanProcessor {
  onStart(span: Span, parentContext: Context): void;
  onEnding?(span: Span): void;
  onEnd(span: ReadableSpan): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface LoggerProvider {
  // biome-ignore lint/suspicious/noExplicitAny: records are those of the logs API, which need not be installed
  getLogger(name: string, version?: string): { emit(record: any): void };
}

export interface ExportResult {
  /** 0: exported, 1: failed. */
  code: number;
  error?: Error;
}

export interface SpanExporter {
  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

export interface SamplingResult {
  /** 0: not recorded, 1: recorded, 2: recorded and sampled. */
  decision: number;
  attributes?: Readonly<Attributes>;
  traceState?: TraceState;
}

export interface Sampler {
  shouldSample(
    context: Context,
    traceId: string,
    spanName: string,
    spanKind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult;
  toString(): string;
}

export interface SpanLimits {
  attributeValueLengthLimit?: number;
  attributeCountLimit?: number;
  linkCountLimit?: number;
  eventCountLimit?: number;
  attributePerEventCountLimit?: number;
  attributePerLinkCountLimit?: number;
}
