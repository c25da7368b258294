import type { ReadableSpan, SpanExporter } from '../sdk/types.js';

/** Shows each span to `beforeExport` and hands on what it returns. */
export class ScreeningExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #screen: (span: ReadableSpan) => ReadableSpan | null;
  readonly #onError: (error: unknown) => void;
  /** Spans left out, on purpose or because `beforeExport` threw. */
  leftOutSpans = 0;

  constructor(
    exporter: SpanExporter,
    screen: (span: ReadableSpan) => ReadableSpan | null,
    onError: (error: unknown) => void,
  ) {
    this.#exporter = exporter;
    this.#screen = screen;
    this.#onError = onError;
  }

  export(spans: ReadableSpan[], resultCallback: Parameters<SpanExporter['export']>[1]): void {
    const kept: ReadableSpan[] = [];
    for (const span of spans) {
      try {
        const screened = this.#screen(span);
        if (screened !== null) kept.push(screened ?? span);
      } catch (error) {
        this.#onError(error);
      }
    }
    this.leftOutSpans += spans.length - kept.length;
    if (kept.length === 0) resultCallback({ code: 0 });
    else this.#exporter.export(kept, resultCallback);
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
