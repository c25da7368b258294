import { ObserverError } from '@hermes-observer/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

type ExportCallback = Parameters<SpanExporter['export']>[1];
type ExportResult = Parameters<ExportCallback>[0];

const SUCCESS = 0;
const FAILED = 1;
const TOLD_AFTER_MILLIS = 1000;

/**
 * OTLP over HTTP. Once the endpoint could not be reached, or gave no answer in the time that the OTLP exporter waits
 * (10 s unless `OTEL_EXPORTER_OTLP_TIMEOUT` says otherwise), all further spans fail at once: a run takes no longer for
 * having more of them. A batch that was refused is no reason to give up.
 */
export class OtlpEndpoint implements SpanExporter {
  /** The address without credentials. */
  readonly name: string;
  readonly #exporter: SpanExporter;
  readonly #terminal: NodeJS.WriteStream;
  #unreachable: ObserverError | undefined;
  #waitTold = false;

  private constructor(name: string, exporter: SpanExporter, terminal: NodeJS.WriteStream) {
    this.name = name;
    this.#exporter = exporter;
    this.#terminal = terminal;
  }

  /** `endpoint` is a base address, or a full `/v1/traces` path. Nothing is sent. @throws ObserverError `HO_OPTION`. */
  static async create(endpoint: string, terminal: NodeJS.WriteStream = process.stderr): Promise<OtlpEndpoint> {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new ObserverError(
        'HO_OPTION',
        `--endpoint '${endpoint}' is no http or https address, such as http://localhost:4318`,
      );
    }
    if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    const exporter = new OTLPTraceExporter({ url: url.href });
    url.username = '';
    url.password = '';
    url.search = '';
    return new OtlpEndpoint(url.href, exporter, terminal);
  }

  export(spans: ReadableSpan[], resultCallback: ExportCallback): void {
    if (this.#unreachable !== undefined) {
      resultCallback({ code: FAILED, error: this.#unreachable });
      return;
    }
    const timer = setTimeout(() => this.#tellWait(), TOLD_AFTER_MILLIS);
    const done = (result: ExportResult) => {
      clearTimeout(timer);
      resultCallback(result.code === SUCCESS ? result : { code: FAILED, error: this.#failure(result.error) });
    };
    try {
      this.#exporter.export(spans, done);
    } catch (error) {
      done({ code: FAILED, error: error as Error });
    }
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #tellWait(): void {
    if (this.#waitTold || !this.#terminal.isTTY) return;
    this.#waitTold = true;
    this.#terminal.write(`\r\x1b[Kwaiting for ${this.name} …\n`);
  }

  #failure(cause: Error | undefined): ObserverError {
    const { code, message } = (cause ?? {}) as { code?: unknown; message?: string };
    // A number is the status of an answer that is about this batch alone; those worth a retry come without one.
    const isAnswer = typeof code === 'number';
    // The error of a host with several addresses has no message of its own.
    const reason = message || (typeof code === 'string' ? code : 'no reason given');
    const error = new ObserverError(
      'HO_EXPORT_FAILED',
      isAnswer
        ? `${this.name} refused spans: ${reason} (HTTP ${code})`
        : `${this.name} cannot be reached: ${reason}; check the address and that a backend listens there`,
      { cause },
    );
    if (!isAnswer) this.#unreachable = error;
    return error;
  }
}
