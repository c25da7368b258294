import type { Hub } from '@hermes-observer/core';
import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { ClockLimits } from '../assembly/clock.js';
import type { AssemblyLimits } from '../assembly/limits.js';
import type { Capture } from '../attributes/capture.js';
import type { SpoolSettings } from '../exporters/spooled-otlp.js';
import type { ApprovalChoice, ApprovalQuestion } from '../instrument/approver.js';
import type { SpanRedactionOptions } from '../redaction/options.js';
import type { LoggerProvider, ReadableSpan, Sampler, SpanExporter, SpanLimits, SpanProcessor } from '../sdk/types.js';

/** An exporter that gets less content than the others: `none` and `redacted` take away what `capture` put on. */
export interface CapturingExporter {
  readonly exporter: SpanExporter;
  readonly capture: Capture;
}

export interface ObserverOptions {
  /** `service.name` of the spans. @default `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, else `hermes-agent` */
  readonly serviceName?: string | undefined;
  /** Name of the agent whose turns these are. @default 'hermes' */
  readonly agentName?: string | undefined;
  /** How much content spans carry. @default 'none' */
  readonly capture?: Capture | undefined;
  /** Attributes that every span carries, beside its own. */
  readonly attributes?: Attributes | undefined;
  /**
   * An existing provider, of the OpenTelemetry SDK 2.x or 3.x: then spans are only written to it, with its ids. `flush()`
   * and `shutdown()` ask it to flush and never close it; `exporters`, `processors`, `sampler`, `spanLimits` and `beforeExport` do not apply. Default: a provider of our own,
   * which is not made the global one.
   */
  readonly tracerProvider?: TracerProvider | undefined;
  /**
   * Where spans go, in batches (`BatchingSpanProcessor`, with the `OTEL_BSP_*` settings). Default, without `processors` as
   * well: what `OTEL_TRACES_EXPORTER` and `OTEL_EXPORTER_OTLP_*` say, which is OTLP over HTTP to localhost:4318.
   */
  readonly exporters?: readonly (SpanExporter | CapturingExporter)[] | undefined;
  /**
   * A folder where spans wait for a backend that is away, over restarts too: for the OTLP exporter that is the default, not
   * for `exporters`, where a `SpooledOtlpExporter` does the same. Spans count as exported when they are in a file; what
   * becomes of them then is in `counts.spool`. @default none: a backend that is away for half a minute costs spans
   */
  readonly spool?: SpoolSettings | undefined;
  /** Standard span processors, called before the exporters' own. */
  readonly processors?: readonly SpanProcessor[] | undefined;
  /** @default `OTEL_TRACES_SAMPLER`, else as the parent was, and every root */
  readonly sampler?: Sampler | undefined;
  readonly spanLimits?: SpanLimits | undefined;
  /**
   * Sees each span before it is exported, once for each exporter. Returns the span, another one in its place, or `null` to
   * leave it out. One that throws, or returns a promise, leaves the span out: it may be there to keep something in.
   */
  readonly beforeExport?: ((span: ReadableSpan) => ReadableSpan | null) | undefined;
  /**
   * Takes secrets and personal data out of whole spans, the last thing before each exporter, whatever `capture` is: names,
   * attributes, events, links, status messages, resources. `{}` for the defaults. Processors see the spans as they are, and
   * with a `tracerProvider` of your own this is refused: put a `RedactingSpanExporter` around its exporter. @default none
   */
  readonly redaction?: SpanRedactionOptions | undefined;
  /**
   * Where the observer's own figures go, as metrics of the scope `@hermes-observer/otel`: spans started, waiting, exported,
   * lost and cut, by reason. They are read when the provider collects. @default none
   */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Metrics of turns, requests and calls, with the figures of `meterProvider`: to a provider, or `true`: as `OTEL_*` says.
   * Needs `@hermes-observer/signals`. @default none
   */
  readonly metrics?: true | MeterProvider | undefined;
  /** Log records of requests, failures, approvals and decisions, likewise. @default none */
  readonly logs?: true | LoggerProvider | undefined;
  /** The cost of requests on their spans; options of `CostSpanProcessor`, of `@hermes-observer/cost`. @default false */
  readonly cost?: boolean | object | undefined;
  /** Make the provider and an `AsyncLocalStorage` context manager the global ones. @default false */
  readonly global?: boolean | undefined;
  /** Hub to listen to. @default a new one */
  readonly hub?: Hub | undefined;
  /** Asked when a responder wants a tool call approved. Without it such a call is blocked. */
  readonly approve?: ((question: ApprovalQuestion) => ApprovalChoice | Promise<ApprovalChoice>) | undefined;
  /** How a turn relates to the span its caller was in. @default 'parent' */
  readonly caller?: 'parent' | 'link' | undefined;
  /** Names of baggage that `traceContext()` hands on. @default none */
  readonly baggage?: readonly string[] | undefined;
  /** Bounds on what is kept of open and closed turns. */
  readonly limits?: Partial<AssemblyLimits> | undefined;
  /** How long silent turns are waited for. */
  readonly clock?: Partial<ClockLimits> | undefined;
  /** Longest wait of `flush()` and `shutdown()`, in milliseconds. @default 30000 */
  readonly timeoutMillis?: number | undefined;
  /** Environment to read. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told what the user should know: each thing once, and of spans that are lost or cut once a minute. @default process.emitWarning */
  readonly onWarning?: ((message: string) => void) | undefined;
}
