import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { rowOfSpan, type SpanRow } from './span-row.js';

type ExportCallback = Parameters<SpanExporter['export']>[1];

/** An exporter that keeps spans as rows, for showing them. */
export class RowCollector implements SpanExporter {
  readonly rows: SpanRow[] = [];

  export(spans: ReadableSpan[], resultCallback: ExportCallback): void {
    for (const span of spans) this.rows.push(rowOfSpan(span));
    resultCallback({ code: 0 });
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}
