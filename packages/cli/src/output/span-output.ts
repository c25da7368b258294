import { ObserverError } from '@hermes-observer/core';
import {
  type Capture,
  LosslessSpanProcessor,
  ObserverTracerProvider,
  OtlpFileExporter,
  observerResource,
  SpanBridge,
} from '@hermes-observer/otel';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';

export interface SpanOutputOptions {
  readonly otlpFile?: string;
  readonly endpoint?: string;
  readonly capture?: Capture;
  readonly agentName?: string;
  readonly serviceName?: string;
  /** Exporters beside those of `otlpFile` and `endpoint`. */
  readonly exporters?: readonly SpanExporter[];
}

/** A bridge and the exporters its spans go to. */
export class SpanOutput {
  readonly bridge: SpanBridge;
  readonly #provider: ObserverTracerProvider;
  readonly #processors: readonly LosslessSpanProcessor[];
  readonly faults: Error[] = [];

  private constructor(
    provider: ObserverTracerProvider,
    processors: LosslessSpanProcessor[],
    options: SpanOutputOptions,
  ) {
    this.#provider = provider;
    this.#processors = processors;
    this.bridge = new SpanBridge({
      tracerProvider: provider,
      capture: options.capture ?? 'none',
      agentName: options.agentName ?? 'hermes',
    });
  }

  /** Opens the outputs. @throws ObserverError `HO_OUTPUT_UNWRITABLE`, `HO_OPTION`, `HO_PEER_MISSING`. */
  static async open(options: SpanOutputOptions): Promise<SpanOutput> {
    const exporters: SpanExporter[] = [...(options.exporters ?? [])];
    if (options.otlpFile !== undefined) {
      const file = new OtlpFileExporter({ path: options.otlpFile });
      file.open();
      exporters.push(file);
    }
    if (options.endpoint !== undefined) exporters.push(await otlpHttpExporter(options.endpoint));
    const processors = exporters.map((exporter) => new LosslessSpanProcessor({ exporter }));
    const provider = new ObserverTracerProvider({
      resource: observerResource(options.serviceName),
      spanProcessors: processors,
    });
    return new SpanOutput(provider, processors, options);
  }

  /** Resolves when the outputs take more spans; `undefined` when they do now. */
  ready(): Promise<unknown> | undefined {
    const waits = this.#processors.map((processor) => processor.ready()).filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** Ends open spans, hands over what is left, and closes the outputs. Faults are in `faults` afterwards. */
  async close(): Promise<void> {
    this.bridge.closeAll();
    await this.#provider.shutdown().catch(() => undefined);
    for (const { lastError } of this.#processors) if (lastError !== undefined) this.faults.push(lastError);
  }

  get writtenSpans(): number {
    return Math.max(0, ...this.#processors.map((processor) => processor.exportedSpans));
  }

  get lostSpans(): number {
    return this.#processors.reduce((sum, processor) => sum + processor.failedSpans, 0);
  }
}

/** OTLP over HTTP to an endpoint's base address, or to its full `/v1/traces` path. */
async function otlpHttpExporter(endpoint: string): Promise<SpanExporter> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ObserverError(
      'HO_OPTION',
      `--endpoint ${endpoint} is no http or https address, such as http://localhost:4318`,
    );
  }
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new OTLPTraceExporter({ url: url.href });
}
