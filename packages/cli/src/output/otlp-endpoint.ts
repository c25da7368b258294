import { ObserverError } from '@hermes-observer/core';
import { OtlpHttpExporter } from '@hermes-observer/otel';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { isHttpAddress, tracesUrl } from './traces-url.js';

type ExportCallback = Parameters<SpanExporter['export']>[1];

const TOLD_AFTER_MILLIS = 1000;
const GIVE_UP_AFTER = 3;

/**
 * OTLP over HTTP. When three batches in a row did not reach the endpoint, or got no answer in the time that the exporter
 * waits (10 s unless `OTEL_EXPORTER_OTLP_TIMEOUT` says otherwise), it says so at once and all further spans fail: a run
 * takes no longer for having more of them. A batch that was refused is no reason to give up.
 */
export class OtlpEndpoint implements SpanExporter {
  readonly #exporter: OtlpHttpExporter;
  readonly #terminal: NodeJS.WriteStream;
  #waitTold = false;

  private constructor(url: string, terminal: NodeJS.WriteStream) {
    this.#terminal = terminal;
    this.#exporter = new OtlpHttpExporter({
      url,
      giveUpAfter: GIVE_UP_AFTER,
      onGiveUp: () =>
        this.#tell(`gave up on ${this.name} after ${GIVE_UP_AFTER} batches; the other spans are not sent`),
    });
  }

  /** `endpoint` is a base address, or a full `/v1/traces` path. Nothing is sent. @throws ObserverError `HO_OPTION`. */
  static async create(endpoint: string, terminal: NodeJS.WriteStream = process.stderr): Promise<OtlpEndpoint> {
    if (!isHttpAddress(endpoint)) {
      throw new ObserverError(
        'HO_OPTION',
        `--endpoint '${endpoint}' is no http or https address, such as http://localhost:4318`,
      );
    }
    return new OtlpEndpoint(tracesUrl(endpoint), terminal);
  }

  /** The address without credentials. */
  get name(): string {
    return this.#exporter.name;
  }

  get writtenSpans(): number {
    return this.#exporter.writtenSpans;
  }

  get lostSpans(): number {
    return this.#exporter.lostSpans;
  }

  export(spans: ReadableSpan[], resultCallback: ExportCallback): void {
    const timer = setTimeout(() => this.#tellWait(), TOLD_AFTER_MILLIS);
    this.#exporter.export(spans, (result) => {
      clearTimeout(timer);
      resultCallback(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #tellWait(): void {
    if (this.#waitTold || !this.#terminal.isTTY) return;
    this.#waitTold = true;
    this.#terminal.write(`\r\x1b[Kwaiting for ${this.name} …\n`);
  }

  #tell(text: string): void {
    const clear = this.#terminal.isTTY ? '\r\x1b[K' : '';
    this.#terminal.write(`${clear}hermes-observer: ${text} [HO_EXPORT_FAILED]\n`);
  }
}
