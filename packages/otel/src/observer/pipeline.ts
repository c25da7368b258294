import type { Capture } from '../attributes/capture.js';
import { BatchingSpanProcessor, batchingFromEnvironment } from '../pipeline/batching-span-processor.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { observerResource } from '../provider/resource.js';
import type { SpanExporter, SpanProcessor } from '../sdk/types.js';
import { type Environment, exportersOf, isDisabled, resourceAttributes, samplerOf } from './environment.js';
import { NarrowingExporter } from './narrow-capture.js';
import type { CapturingExporter, ObserverOptions } from './options.js';
import { ScreeningExporter } from './screening-exporter.js';

/** Our own provider and what stands behind it. */
export interface Pipeline {
  readonly provider: ObserverTracerProvider;
  /** One for each exporter. */
  readonly batches: readonly BatchingSpanProcessor[];
  /** Why nothing can be exported, when that is known from the start. */
  readonly silentBecause: string | undefined;
}

/** @throws ObserverError `HO_OPTION` for a wrong setting, `HO_PEER_MISSING` for a package that is needed. */
export function createPipeline(options: ObserverOptions, env: Environment, warn: (text: string) => void): Pipeline {
  const disabled = isDisabled(env);
  const given = options.exporters ?? (options.processors === undefined && !disabled ? exportersOf(env) : []);
  const capture = options.capture ?? 'none';
  const batching = batchingFromEnvironment(env);
  const batches = disabled
    ? []
    : given.map((exporter) => new BatchingSpanProcessor(stagedExporter(exporter, capture, options, warn), batching));
  const processors: SpanProcessor[] = disabled ? [] : [...(options.processors ?? []), ...batches];
  const sampler = options.sampler ?? samplerOf(env);
  const attributes = resourceAttributes(env);
  const serviceName = options.serviceName ?? (attributes['service.name'] as string | undefined);
  const provider = new ObserverTracerProvider({
    resource: observerResource(serviceName, { ...attributes, ...(serviceName ? { 'service.name': serviceName } : {}) }),
    spanProcessors: processors,
    onError: (error, where) => warn(`${where} failed: ${error instanceof Error ? error.message : String(error)}`),
    ...(sampler === undefined ? {} : { sampler }),
    ...(options.spanLimits === undefined ? {} : { spanLimits: options.spanLimits }),
  });
  return { provider, batches, silentBecause: silence(disabled, processors.length) };
}

function silence(disabled: boolean, processors: number): string | undefined {
  if (disabled) return 'OTEL_SDK_DISABLED is true';
  return processors === 0
    ? 'there is no exporter and no processor (OTEL_TRACES_EXPORTER=none, or empty lists)'
    : undefined;
}

/** An exporter behind what is taken out for it. */
function stagedExporter(
  given: SpanExporter | CapturingExporter,
  capture: Capture,
  { beforeExport }: ObserverOptions,
  warn: (text: string) => void,
): SpanExporter {
  let exporter = 'exporter' in given ? given.exporter : given;
  if (beforeExport !== undefined) {
    const onError = (error: unknown) => warn(`beforeExport failed, the span is left out: ${String(error)}`);
    exporter = new ScreeningExporter(exporter, beforeExport, onError);
  }
  const own = 'exporter' in given ? given.capture : capture;
  if (own !== 'full' && capture !== 'none' && own !== capture) exporter = new NarrowingExporter(exporter, own);
  return exporter;
}
