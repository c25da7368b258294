import { LONGEST_TIMER_MS, ObserverError } from '@hermes-observer/core';
import type { Capture } from '../attributes/capture.js';
import { SpooledOtlpExporter } from '../exporters/spooled-otlp.js';
import {
  type BatchingOptions,
  BatchingSpanProcessor,
  batchingFromEnvironment,
  DEFAULT_EXPORT_TIMEOUT_MS,
} from '../pipeline/batching-span-processor.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { observerResource } from '../provider/resource.js';
import { SpanRedactor } from '../redaction/span-redactor.js';
import { loadPeer } from '../sdk/peer.js';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '../sdk/types.js';
import { isExporter } from './check-options.js';
import { type Environment, exportersOf, isDisabled, resourceAttributes, samplerOf } from './environment.js';
import { narrowing } from './narrow-capture.js';
import type { CapturingExporter, ObserverOptions } from './options.js';
import { screening } from './screening.js';
import { openSignals, type Signals } from './signals.js';

/** Our own provider and what stands behind it. */
export interface Pipeline {
  readonly provider: ObserverTracerProvider;
  /** One for each exporter. */
  readonly batches: readonly BatchingSpanProcessor[];
  /** In the same order. */
  readonly exporters: readonly SpanExporter[];
  /** Takes secrets out of what goes to the exporters, when that is asked for. */
  readonly redactor: SpanRedactor | undefined;
  readonly signals: Signals | undefined;
  /** Why nothing can be exported, when that is known from the start. */
  readonly silentBecause: string | undefined;
}

const LAST_ANSWER_MS = 2_000;

/** @throws ObserverError `HO_PEER_MISSING` for a package that is needed, `HO_OPTION` for a wrong one of `redaction`. */
export function createPipeline(options: ObserverOptions, env: Environment, warn: (text: string) => void): Pipeline {
  const disabled = isDisabled(env);
  let fault: string | undefined;
  const read = <T>(setting: (env: Environment) => T, otherwise: T): T => {
    try {
      return setting(env);
    } catch (error) {
      // A variable may have been set for another program: it must not keep this one from starting.
      if (!ObserverError.isInstance(error) || error.code !== 'HO_OPTION') throw error;
      warn(error.message);
      fault ??= error.message;
      return otherwise;
    }
  };
  const isAsked = options.exporters === undefined && options.processors === undefined && !disabled;
  const batching = batchingFromEnvironment(env);
  // Tried again for as long as the processor waits for an export, less what the last answer may take.
  const retryMillis = Math.max(0, (batching.exportTimeoutMillis ?? DEFAULT_EXPORT_TIMEOUT_MS) - LAST_ANSWER_MS);
  const given =
    options.exporters ??
    (isAsked ? read((of) => exportersOf(of, { retryMillis, spool: options.spool, onWarning: warn }), []) : []);
  const capture = options.capture ?? 'none';
  const redactor = options.redaction === undefined ? undefined : new SpanRedactor(options.redaction);
  const batches = disabled
    ? []
    : given.map((exporter) => batchesOf(exporter, capture, options, redactor, batching, warn));
  const exporters = disabled ? [] : given.map(exporterOf);
  const sampler = options.sampler ?? (disabled ? undefined : read(samplerOf, undefined));
  const attributes = resourceAttributes(env);
  const serviceName = options.serviceName ?? (attributes['service.name'] as string | undefined);
  const resource = observerResource(serviceName, {
    ...attributes,
    ...(serviceName ? { 'service.name': serviceName } : {}),
  });
  const { metrics, logs } = options;
  const signals =
    disabled || (metrics ?? logs) === undefined
      ? undefined
      : openSignals({
          metrics,
          logs,
          env,
          resource,
          screen: screenOf(capture, capture, options, redactor, warn),
          redact: redactor === undefined ? undefined : (span) => redactor.redact(span),
          capture,
          warn,
        });
  const processors: SpanProcessor[] = disabled
    ? []
    : [...costsOf(options), ...(options.processors ?? []), ...(signals?.processors ?? []), ...batches];
  const provider = new ObserverTracerProvider({
    resource,
    spanProcessors: processors,
    recordUnsampled: signals?.meterProvider !== undefined,
    onError: (error, where) => warn(`${where} failed: ${error instanceof Error ? error.message : String(error)}`),
    ...(sampler === undefined ? {} : { sampler }),
    ...(options.spanLimits === undefined ? {} : { spanLimits: options.spanLimits }),
  });
  return {
    provider,
    batches,
    exporters,
    redactor,
    signals,
    silentBecause: processors.length === 0 ? (fault ?? silence(disabled, options.exporters !== undefined)) : undefined,
  };
}

/** `OTEL_TRACES_EXPORTER=none` is what somebody wants. */
function silence(disabled: boolean, isListGiven: boolean): string | undefined {
  if (disabled) return 'OTEL_SDK_DISABLED is true';
  return isListGiven ? 'there is no exporter and no processor' : undefined;
}

const COST = '@hermes-observer/cost';

/** Our own package, which stands above this one. @throws ObserverError `HO_PEER_MISSING`, `HO_OPTION` */
const costsOf = ({ cost }: ObserverOptions): SpanProcessor[] =>
  cost
    ? [
        new (loadPeer<{ CostSpanProcessor: new (of?: object) => SpanProcessor }>(COST, 'cost').CostSpanProcessor)(
          cost === true ? {} : cost,
        ),
      ]
    : [];

const exporterOf = (given: SpanExporter | CapturingExporter) => (isExporter(given) ? given : given.exporter);

/** Batches for an exporter, behind what is taken out for it: content first, then what `beforeExport` says, then secrets. */
function batchesOf(
  given: SpanExporter | CapturingExporter,
  capture: Capture,
  options: ObserverOptions,
  redactor: SpanRedactor | undefined,
  settings: BatchingOptions,
  warn: (text: string) => void,
): BatchingSpanProcessor {
  const exporter = exporterOf(given);
  const own = isExporter(given) ? capture : given.capture;
  // A spool answers when the disk has the spans. While it is full they wait, and count as what they are.
  const isSpooled = exporter instanceof SpooledOtlpExporter;
  const batching = isSpooled ? { ...settings, exportTimeoutMillis: LONGEST_TIMER_MS } : settings;
  const prepare = screenOf(own, capture, options, redactor, warn);
  return new BatchingSpanProcessor(exporter, prepare === undefined ? batching : { ...batching, prepare });
}

/** What stands between a span and who gets it with `own` content. */
function screenOf(
  own: Capture,
  capture: Capture,
  { beforeExport }: ObserverOptions,
  redactor: SpanRedactor | undefined,
  warn: (text: string) => void,
): ((span: ReadableSpan) => ReadableSpan | null) | undefined {
  const stages: ((span: ReadableSpan) => ReadableSpan | null)[] = [];
  if (own !== 'full' && capture !== 'none' && own !== capture) stages.push(narrowing(own));
  if (beforeExport !== undefined) {
    stages.push(
      screening(beforeExport, (error) => warn(`beforeExport failed, the span is left out: ${String(error)}`)),
    );
  }
  if (redactor !== undefined) stages.push((span) => redactor.redact(span));
  if (stages.length === 0) return undefined;
  return (span) => stages.reduce<ReadableSpan | null>((kept, stage) => (kept === null ? null : stage(kept)), span);
}
