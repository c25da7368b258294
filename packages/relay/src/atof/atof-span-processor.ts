import type { ReadableSpan, SpanProcessor } from '@hermes-observer/otel';
import { factsOf } from '../spans/span-facts.js';
import { AtofFile, type AtofTarget } from './atof-file.js';
import { type AtofLine, AtofWriter } from './atof-writer.js';

export type AtofSpanProcessorOptions = AtofTarget & {
  /**
   * What each span becomes before it is written, as with a `SpanRedactor`: processors see spans as they are, before `redaction`,
   * `beforeExport` and the `capture` of single exporters. One that throws leaves the span out. @default as it is
   */
  readonly beforeWrite?: (span: ReadableSpan) => ReadableSpan;
};

/**
 * Writes ATOF while it happens: the start of a scope when its span begins, its end when it ends. A process that is killed leaves
 * starts without an end, which readers may close.
 */
export class AtofSpanProcessor implements SpanProcessor {
  /** Spans that could not be written, and why the last one could not. */
  lostSpans = 0;
  lastError: Error | undefined;
  readonly #file: AtofFile;
  readonly #writer = new AtofWriter();
  readonly #beforeWrite: (span: ReadableSpan) => ReadableSpan;
  #isShutdown = false;

  constructor(options: AtofSpanProcessorOptions) {
    this.#file = new AtofFile(options);
    this.#beforeWrite = options.beforeWrite ?? ((span) => span);
  }

  onStart(span: ReadableSpan): void {
    this.#write(() => this.#writer.started(factsOf(this.#beforeWrite(span))));
  }

  onEnd(span: ReadableSpan): void {
    this.#write(() => this.#writer.ended(factsOf(this.#beforeWrite(span))));
  }

  async forceFlush(): Promise<void> {
    await this.#file.sync();
  }

  /** Writes what was held back, and closes the file. */
  async shutdown(): Promise<void> {
    this.#write(() => this.#writer.rest());
    this.#isShutdown = true;
    this.#file.close();
  }

  /** Whatever happens here stays here. */
  #write(lines: () => Iterable<AtofLine>): void {
    if (this.#isShutdown) return;
    try {
      this.#file.write(lines());
    } catch (error) {
      this.lostSpans++;
      this.lastError = error instanceof Error ? error : new Error(String(error));
    }
  }
}
