import { ObserverError } from '@hermes-observer/core';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import { LineFile, type LineTarget } from './line-file.js';
import { TraceRequests } from './trace-requests.js';

export type OtlpFileExporterOptions = LineTarget & {
  /** The most bytes of one line, its newline included. Default: 4 MiB, minimum: 4 KiB. */
  readonly maxLineBytes?: number;
};

type ExportCallback = Parameters<SpanExporter['export']>[1];

// The numbers of the standard `ExportResultCode`.
const SUCCESS = 0;
const FAILED = 1;
const DEFAULT_MAX_LINE_BYTES = 4 * 1024 * 1024;
const MIN_MAX_LINE_BYTES = 4 * 1024;

/**
 * Writes spans as OTLP/JSON, one `ExportTraceServiceRequest` a line: the file format of the OpenTelemetry Collector.
 * `{ path }` is written anew, or appended to with `append: true`; with `whole: true` it is written as
 * `PATH.<pid>.tmp` and gets its name from `shutdown()`, complete or with what could be written. `{ fd }` stays open.
 *
 * Writing is synchronous, and the same batches give the same bytes. A batch whose line would be longer than
 * `maxLineBytes` is split; of one span that is too long alone the largest strings are cut, marked with
 * `hermes.export.cut`. What goes wrong comes as a `FAILED` result with an `ObserverError` (`HO_OUTPUT_UNWRITABLE`,
 * `HO_EXPORT_FAILED`), never as a throw.
 */
export class OtlpFileExporter implements SpanExporter {
  readonly #file: LineFile;
  readonly #requests: TraceRequests;
  #writtenSpans = 0;
  #lostSpans = 0;
  #isShutdown = false;

  /** @throws ObserverError `HO_OPTION` for a `maxLineBytes` below 4 KiB. */
  constructor(options: OtlpFileExporterOptions) {
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
    if (!(maxLineBytes >= MIN_MAX_LINE_BYTES)) {
      throw new ObserverError('HO_OPTION', `maxLineBytes is ${maxLineBytes}; use ${MIN_MAX_LINE_BYTES} or more.`);
    }
    this.#file = new LineFile(options);
    // One byte of a line is its newline.
    this.#requests = new TraceRequests(JSON_ENCODING, maxLineBytes - 1);
  }

  /** Spans that are in the output. */
  get writtenSpans(): number {
    return this.#writtenSpans;
  }

  /** Spans that were handed over and are not in the output. */
  get lostSpans(): number {
    return this.#lostSpans;
  }

  /**
   * Opens the output now rather than with the first batch. Optional: it shows a wrong path early, and leaves an empty
   * file where no span comes.
   * @throws ObserverError `HO_OUTPUT_UNWRITABLE`.
   */
  open(): void {
    this.#file.open();
  }

  /** The callback is called before this returns. */
  export(spans: ReadableSpan[], resultCallback: ExportCallback): void {
    const error = this.#exportAll(spans);
    resultCallback(error === undefined ? { code: SUCCESS } : { code: FAILED, error });
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  /** Closes the file and, with `whole`, gives it its name. Rejects with `HO_OUTPUT_UNWRITABLE` if that fails. */
  async shutdown(): Promise<void> {
    this.#isShutdown = true;
    this.#file.close();
  }

  #exportAll(spans: readonly ReadableSpan[]): Error | undefined {
    const before = this.#writtenSpans;
    try {
      if (this.#isShutdown) throw new ObserverError('HO_EXPORT_FAILED', `${this.#file.name} was closed by shutdown().`);
      this.#file.open();
      for (const request of this.#requests.of(spans)) {
        this.#file.write(request.body);
        this.#writtenSpans += request.spans.length;
      }
      if (this.#writtenSpans - before === spans.length) return undefined;
      throw new ObserverError('HO_EXPORT_FAILED', `${this.#file.name}: some spans cannot be written as OTLP/JSON.`);
    } catch (error) {
      return error instanceof Error ? error : new ObserverError('HO_EXPORT_FAILED', String(error));
    } finally {
      this.#lostSpans += spans.length - (this.#writtenSpans - before);
    }
  }
}
