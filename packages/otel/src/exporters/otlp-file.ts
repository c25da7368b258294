import { ObserverError } from '@hermes-observer/core';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import { bareSpan, cutSpan } from './fit-span.js';
import { loadJsonTraceSerializer } from './json-trace-serializer.js';
import { LineFile, type LineTarget } from './line-file.js';
import { safeSpans } from './safe-numbers.js';

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
 * `{ path }` is written anew, or appended to with `append: true`; `{ fd }` stays open.
 *
 * Writing is synchronous, and the same batches give the same bytes. A batch whose line would be longer than
 * `maxLineBytes` is split; of one span that is too long alone the largest strings are cut, marked with
 * `hermes.export.cut`. What goes wrong comes as a `FAILED` result with an `ObserverError` (`HO_OUTPUT_UNWRITABLE`,
 * `HO_PEER_MISSING`, `HO_EXPORT_FAILED`), never as a throw. Needs `@opentelemetry/otlp-transformer`.
 */
export class OtlpFileExporter implements SpanExporter {
  readonly #file: LineFile;
  readonly #maxLineBytes: number;
  #serializer: ReturnType<typeof loadJsonTraceSerializer> | undefined;
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
    this.#maxLineBytes = maxLineBytes;
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
   * Opens the output and loads the serializer now rather than with the first batch. Optional: it shows a wrong path
   * early, and leaves an empty file where no span comes.
   * @throws ObserverError `HO_OUTPUT_UNWRITABLE`, `HO_PEER_MISSING`.
   */
  open(): void {
    this.#serializer ??= loadJsonTraceSerializer();
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

  /** Closes the file. Rejects with `HO_OUTPUT_UNWRITABLE` if that fails. */
  async shutdown(): Promise<void> {
    this.#isShutdown = true;
    this.#file.close();
  }

  #exportAll(spans: readonly ReadableSpan[]): Error | undefined {
    const before = this.#writtenSpans;
    try {
      if (this.#isShutdown) throw new ObserverError('HO_EXPORT_FAILED', `${this.#file.name} was closed by shutdown().`);
      this.open();
      this.#write(spans);
      if (this.#writtenSpans - before === spans.length) return undefined;
      throw new ObserverError('HO_EXPORT_FAILED', 'Some spans could not be written as OTLP/JSON; see lostSpans.');
    } catch (error) {
      return error instanceof Error ? error : new ObserverError('HO_EXPORT_FAILED', String(error));
    } finally {
      this.#lostSpans += spans.length - (this.#writtenSpans - before);
    }
  }

  #write(spans: readonly ReadableSpan[]): void {
    if (spans.length === 0) return;
    const line = this.#serialize(spans);
    if (line !== undefined && this.#fits(line)) {
      this.#file.write(line);
      this.#writtenSpans += spans.length;
      return;
    }
    const [span] = spans;
    if (spans.length === 1 && span !== undefined) {
      const fitting = this.#fit(span, line?.length);
      if (fitting === undefined) return;
      this.#file.write(fitting);
      this.#writtenSpans += 1;
      return;
    }
    // As many parts as the size asks for, so that a batch of large spans is not serialized once per halving.
    const parts = line === undefined ? 2 : Math.ceil(line.length / this.#maxLineBytes) + 1;
    const size = Math.ceil(spans.length / Math.min(parts, spans.length));
    for (let i = 0; i < spans.length; i += size) this.#write(spans.slice(i, i + size));
  }

  #fits(line: Uint8Array): boolean {
    return line.length < this.#maxLineBytes;
  }

  /** A line for one span that is too long, or that could not be serialized (`bytes` is not known). */
  #fit(span: ReadableSpan, bytes: number | undefined): Uint8Array | undefined {
    try {
      const cut = bytes === undefined ? undefined : this.#serialize([cutSpan(span, bytes, this.#maxLineBytes)]);
      if (cut !== undefined && this.#fits(cut)) return cut;
      const bare = this.#serialize([bareSpan(span)]);
      return bare !== undefined && this.#fits(bare) ? bare : undefined;
    } catch {
      return undefined;
    }
  }

  /** `undefined` if it throws: too long for a string, or a span with broken values. The batch is then split. */
  #serialize(spans: readonly ReadableSpan[]): Uint8Array | undefined {
    try {
      return this.#serializer?.serializeRequest(safeSpans(spans));
    } catch {
      return undefined;
    }
  }
}
