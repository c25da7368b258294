import { ObserverError } from '@hermes-observer/core';
import {
  type Capture,
  LosslessSpanProcessor,
  ObserverTracerProvider,
  OtlpFileExporter,
  observerResource,
  resourceAttributes,
  SpanBridge,
} from '@hermes-observer/otel';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { OtlpEndpoint } from './otlp-endpoint.js';
import { isReaderGone } from './standard-streams.js';

export interface SpanOutputOptions {
  /** Written anew. `-` is standard output. */
  readonly otlpFile?: string;
  readonly endpoint?: string;
  readonly capture?: Capture;
  readonly agentName?: string;
  /** Default: what `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` say, else `hermes-agent`. */
  readonly serviceName?: string;
  /** Exporters beside those of `otlpFile` and `endpoint`. */
  readonly exporters?: readonly SpanExporter[];
}

/** Where spans go. A file counts its spans itself: of a batch it may take all but one. */
interface Destination {
  readonly name: string;
  readonly processor: LosslessSpanProcessor;
  readonly file?: OtlpFileExporter;
}

const STDOUT = 1;
const STDOUT_NAME = 'standard output';

/** A bridge and the exporters its spans go to. */
export class SpanOutput {
  readonly bridge: SpanBridge;
  readonly #provider: ObserverTracerProvider;
  readonly #destinations: readonly Destination[];
  /** What went wrong, for one line each. Complete after `close`. */
  readonly faults: ObserverError[] = [];

  private constructor(destinations: readonly Destination[], options: SpanOutputOptions) {
    this.#destinations = destinations;
    this.#provider = new ObserverTracerProvider({
      resource: observerResource(options.serviceName, attributesOf(options)),
      spanProcessors: destinations.map(({ processor }) => processor),
    });
    this.bridge = new SpanBridge({
      tracerProvider: this.#provider,
      capture: options.capture ?? 'none',
      agentName: options.agentName ?? 'hermes',
    });
  }

  /** Checks all options; nothing is opened or sent yet. @throws ObserverError `HO_OPTION`, `HO_PEER_MISSING`. */
  static async create(options: SpanOutputOptions): Promise<SpanOutput> {
    const { otlpFile, endpoint, exporters = [] } = options;
    const destinations: Destination[] = exporters.map((exporter) => destination('an exporter', exporter));
    if (endpoint !== undefined) {
      const exporter = await OtlpEndpoint.create(endpoint);
      destinations.push(destination(exporter.name, exporter));
    }
    if (otlpFile !== undefined) {
      const isStdout = otlpFile === '-';
      const file = new OtlpFileExporter(isStdout ? { fd: STDOUT } : { path: otlpFile });
      destinations.push({ ...destination(isStdout ? STDOUT_NAME : otlpFile, file), file });
    }
    return new SpanOutput(destinations, options);
  }

  /** Opens the file, which empties it. @throws ObserverError `HO_OUTPUT_UNWRITABLE`, `HO_PEER_MISSING`. */
  open(): void {
    for (const { file } of this.#destinations) file?.open();
  }

  /** Resolves when the outputs take more spans; `undefined` when they do now. */
  ready(): Promise<unknown> | undefined {
    const waits = this.#destinations.map(({ processor }) => processor.ready()).filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** Ends open spans, hands over what is left, and closes the outputs. Faults are in `faults` afterwards. */
  async close(): Promise<void> {
    this.bridge.closeAll();
    let closing: unknown;
    await this.#provider.shutdown().catch((error: unknown) => {
      closing = error;
    });
    for (const target of this.#destinations) {
      const { lastError } = target.processor;
      if (lastError !== undefined) this.faults.push(asFault(target.name, lastError));
      const lost = lostBy(target);
      if (lost === 0) continue;
      const what = lost === 1 ? 'span was' : 'spans were';
      this.faults.push(new ObserverError('HO_EXPORT_FAILED', `${lost} ${what} not delivered to ${target.name}`));
    }
    if (closing !== undefined && this.faults.length === 0) this.faults.push(asFault('closing the output', closing));
  }

  /** True if spans went to standard output, and its reader did not want all of them. */
  get isReaderGone(): boolean {
    return this.#destinations.some(({ name, processor }) => name === STDOUT_NAME && isReaderGone(processor.lastError));
  }

  get writtenSpans(): number {
    return Math.max(
      0,
      ...this.#destinations.map(({ file, processor }) => file?.writtenSpans ?? processor.exportedSpans),
    );
  }
}

const destination = (name: string, exporter: SpanExporter): Destination => ({
  name,
  processor: new LosslessSpanProcessor({ exporter }),
});

const lostBy = ({ file, processor }: Destination) => file?.lostSpans ?? processor.failedSpans;

function attributesOf({ serviceName }: SpanOutputOptions) {
  const attributes = resourceAttributes(process.env);
  return serviceName === undefined ? attributes : { ...attributes, 'service.name': serviceName };
}

function asFault(name: string, error: unknown): ObserverError {
  if (ObserverError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ObserverError('HO_EXPORT_FAILED', `${name}: ${reason}`, { cause: error });
}
