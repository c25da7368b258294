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
import { genAiVersion, type ProfileName, withProfiles } from '@hermes-observer/profiles';
import type { AtifExporter, AtofExporter } from '@hermes-observer/relay';
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { costProcessors } from '../cost/cost-processor.js';
import { OtlpEndpoint } from './otlp-endpoint.js';
import { isReaderGone } from './standard-streams.js';

export const OUTPUT_FORMATS = ['otlp', 'atof', 'atif'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface SpanOutputOptions {
  /** Written anew. `-` is standard output. */
  readonly otlpFile?: string;
  readonly endpoint?: string;
  readonly capture?: Capture;
  readonly agentName?: string;
  /** Default: what `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` say, else `hermes-agent`. */
  readonly serviceName?: string;
  /** Put the cost of requests on their spans. `prices`: a file of own prices, which says so as well. */
  readonly cost?: boolean;
  readonly prices?: string;
  /** Names of attributes in `otlpFile` and at `endpoint`. Default: what `OTEL_SEMCONV_STABILITY_OPT_IN` says. */
  readonly profile?: readonly ProfileName[];
  /** What is written to `output`. @default 'otlp' */
  readonly format?: OutputFormat;
  /** A file, or for `atif` a folder. `-` is standard output. */
  readonly output?: string;
  /** Of `atif`: one file a turn or a session; child agents in the file of their parent or in files of their own. */
  readonly trajectory?: 'turn' | 'session';
  readonly subagents?: 'embedded' | 'files';
  /** Exporters beside those of `otlpFile`, `output` and `endpoint`. */
  readonly exporters?: readonly SpanExporter[];
}

/** Counts of an exporter that may take all of a batch but one span. */
interface SpanCounts {
  readonly writtenSpans: number;
}

/** Where spans go. */
interface Destination {
  readonly name: string;
  readonly processor: LosslessSpanProcessor;
  readonly file?: OtlpFileExporter | AtofExporter | AtifExporter;
  readonly counts?: SpanCounts;
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

  private constructor(
    destinations: readonly Destination[],
    processors: readonly SpanProcessor[],
    options: SpanOutputOptions,
  ) {
    this.#destinations = destinations;
    this.#provider = new ObserverTracerProvider({
      resource: observerResource(options.serviceName, attributesOf(options)),
      spanProcessors: [...processors, ...destinations.map(({ processor }) => processor)],
    });
    this.bridge = new SpanBridge({
      tracerProvider: this.#provider,
      capture: options.capture ?? 'none',
      agentName: options.agentName ?? 'hermes',
    });
  }

  /** Checks all options; nothing is opened or sent yet. @throws ObserverError `HO_OPTION`, `HO_PEER_MISSING`. */
  static async create(options: SpanOutputOptions): Promise<SpanOutput> {
    const { endpoint, exporters = [] } = options;
    const otlpFile = otlpFileOf(options);
    const named = <T extends SpanExporter>(exporter: T): T => asNamed(exporter, options.profile);
    const destinations: Destination[] = exporters.map((exporter) => destination('an exporter', exporter));
    if (endpoint !== undefined) {
      const exporter = named(await OtlpEndpoint.create(endpoint));
      destinations.push({ ...destination(exporter.name, exporter), counts: exporter });
    }
    if (otlpFile !== undefined) {
      const isStdout = otlpFile === '-';
      const file = named(new OtlpFileExporter(isStdout ? { fd: STDOUT } : { path: otlpFile, whole: true }));
      destinations.push({ ...destination(isStdout ? STDOUT_NAME : otlpFile, file), file, counts: file });
    }
    const { output, format = 'otlp' } = options;
    if (output !== undefined && format !== 'otlp') {
      const file = await relayExporter(output, format, options);
      destinations.push({ ...destination(output === '-' ? STDOUT_NAME : output, file), file, counts: file });
    }
    return new SpanOutput(destinations, await costProcessors(options.cost, options.prices), options);
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
    // Not through the provider, which waits 30 s at most: each export is bounded by its exporter, their number is not.
    const closings = await Promise.allSettled(this.#destinations.map(({ processor }) => processor.shutdown()));
    await this.#provider.shutdown().catch(() => {});
    const made = this.#provider.counts.ended;
    for (const target of this.#destinations) {
      const { lastError } = target.processor;
      if (lastError !== undefined) this.faults.push(asFault(target.name, lastError));
      // What was made and is not known to be delivered is lost.
      const lost = Math.max(0, made - writtenBy(target));
      if (lost === 0) continue;
      const what = lost === 1 ? 'span was' : 'spans were';
      this.faults.push(new ObserverError('HO_EXPORT_FAILED', `${lost} ${what} not delivered to ${target.name}`));
    }
    closings.forEach((closing, i) => {
      const { name, processor } = this.#destinations[i] as Destination;
      if (closing.status === 'fulfilled') return;
      const { cause } = closing.reason as { cause?: unknown };
      // A flush that failed tells of spans, which are told of above.
      if (cause === undefined || cause !== processor.lastError) this.faults.push(asFault(name, closing.reason));
    });
  }

  /** True if spans went to standard output, and its reader did not want all of them. */
  get isReaderGone(): boolean {
    return this.#destinations.some(({ name, processor }) => name === STDOUT_NAME && isReaderGone(processor.lastError));
  }

  get writtenSpans(): number {
    return Math.max(0, ...this.#destinations.map(writtenBy));
  }
}

/** Without a profile, and with what spans are made with, an exporter stays as it is. */
function asNamed<T extends SpanExporter>(exporter: T, profile: readonly ProfileName[] | undefined): T {
  const names = profile ?? (['genai'] as const);
  const isPlain = names.length === 1 && names[0] === 'genai' && genAiVersion(process.env) === '1.41.1';
  return isPlain ? exporter : withProfiles(exporter, names);
}

/** Where OTLP/JSON goes, whichever option says so. */
export const otlpFileOf = ({ otlpFile, output, format = 'otlp' }: SpanOutputOptions): string | undefined =>
  otlpFile ?? (format === 'otlp' ? output : undefined);

/** Its package is loaded only where it is used. */
async function relayExporter(
  output: string,
  format: 'atof' | 'atif',
  { trajectory, subagents }: SpanOutputOptions,
): Promise<AtofExporter | AtifExporter> {
  const { AtifExporter, AtofExporter } = await import('@hermes-observer/relay');
  if (format === 'atof') {
    return new AtofExporter(output === '-' ? { fd: STDOUT } : { path: output, mode: 'overwrite' });
  }
  return new AtifExporter({
    folder: output,
    ...(trajectory !== undefined && { trajectory }),
    ...(subagents !== undefined && { subagents }),
  });
}

const destination = (name: string, exporter: SpanExporter): Destination => ({
  name,
  processor: new LosslessSpanProcessor({ exporter }),
});

const writtenBy = ({ counts, processor }: Destination) => counts?.writtenSpans ?? processor.exportedSpans;

function attributesOf({ serviceName }: SpanOutputOptions) {
  const attributes = resourceAttributes(process.env);
  return serviceName === undefined ? attributes : { ...attributes, 'service.name': serviceName };
}

function asFault(name: string, error: unknown): ObserverError {
  if (ObserverError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ObserverError('HO_EXPORT_FAILED', `${name}: ${reason}`, { cause: error });
}
