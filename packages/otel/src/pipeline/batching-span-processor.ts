import { type Context, context, createContextKey, TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '../sdk/types.js';

export interface BatchingOptions {
  /** Spans that wait at most; further ones are dropped and counted. @default `OTEL_BSP_MAX_QUEUE_SIZE`, else 20480 */
  readonly maxQueueSize?: number;
  /** The most spans of one export. @default `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, else 512 */
  readonly maxBatchSize?: number;
  /** How long a span waits for a full batch, in milliseconds. @default `OTEL_BSP_SCHEDULE_DELAY`, else 5000 */
  readonly delayMillis?: number;
  /** How long one export may take, in milliseconds. @default `OTEL_BSP_EXPORT_TIMEOUT`, else 30000 */
  readonly exportTimeoutMillis?: number;
}

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

const FAILED = 1;
/** As `suppressTracing()` of `@opentelemetry/core`: an exporter's own requests make no spans. */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** The settings of the standard variables; what is no positive number is left out. */
export function batchingFromEnvironment(env: Readonly<Record<string, string | undefined>>): BatchingOptions {
  const number = (name: string) => {
    const value = Number(env[name]);
    return env[name] !== undefined && value > 0 ? value : undefined;
  };
  const options: Record<keyof BatchingOptions, number | undefined> = {
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
    maxBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    delayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/**
 * Exports ended spans in batches, off the stack of whoever ended them, in order, one export at a time. Takes a burst of
 * as many spans as its queue holds; what it has to drop is counted. `forceFlush()` waits for the export that is running
 * as well. Needs no SDK package, so it serves OpenTelemetry 2.x and 3.x alike.
 */
export class BatchingSpanProcessor implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #maxQueueSize: number;
  readonly #maxBatchSize: number;
  readonly #delayMillis: number;
  readonly #exportTimeoutMillis: number;
  #queue: ReadableSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #running: Promise<void> | undefined;
  #shutdown: Promise<void> | undefined;
  exportedSpans = 0;
  failedSpans = 0;
  /** Spans that found the queue full, or ended after `shutdown()`. */
  droppedSpans = 0;
  lastError: Error | undefined = undefined;

  constructor(exporter: SpanExporter, options: BatchingOptions = {}) {
    const { maxQueueSize = 20_480, maxBatchSize = 512, delayMillis = 5_000, exportTimeoutMillis = 30_000 } = options;
    this.#exporter = exporter;
    this.#maxQueueSize = maxQueueSize;
    this.#maxBatchSize = Math.min(maxBatchSize, maxQueueSize);
    this.#delayMillis = delayMillis;
    this.#exportTimeoutMillis = exportTimeoutMillis;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.#shutdown !== undefined || this.#queue.length >= this.#maxQueueSize) {
      this.droppedSpans++;
      return;
    }
    this.#queue.push(span);
    if (this.#running !== undefined) return;
    if (this.#queue.length >= this.#maxBatchSize) this.#immediate ??= setImmediate(() => void this.#start(false));
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => void this.#start(true), this.#delayMillis);
      this.#timer.unref();
    }
  }

  /** Resolves when every span that has ended was exported or given up, and the exporter has flushed. */
  async forceFlush(): Promise<void> {
    while (this.#running !== undefined || this.#queue.length > 0) await this.#start(true);
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= this.forceFlush().finally(() => this.#exporter.shutdown());
    return this.#shutdown;
  }

  /** Exports full batches, and with `all` what is left over as well. There is one run at a time. */
  #start(all: boolean): Promise<void> {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    this.#running ??= this.#run(all).finally(() => {
      this.#running = undefined;
      if (this.#queue.length === 0 || this.#shutdown !== undefined) return;
      this.#timer = setTimeout(() => void this.#start(true), this.#delayMillis);
      this.#timer.unref();
    });
    return this.#running;
  }

  async #run(all: boolean): Promise<void> {
    let left = all ? this.#queue.length : 0;
    while (this.#queue.length >= this.#maxBatchSize || left > 0) {
      const batch = this.#queue.splice(0, this.#maxBatchSize);
      left -= batch.length;
      const { code, error } = await this.#export(batch);
      if (code === FAILED) {
        this.failedSpans += batch.length;
        this.lastError = error ?? new Error('the exporter gave no reason');
      } else this.exportedSpans += batch.length;
    }
  }

  #export(batch: ReadableSpan[]): Promise<ExportResult> {
    return new Promise((resolve) => {
      const late = new Error(`the exporter did not answer within ${this.#exportTimeoutMillis} ms`);
      const timer = setTimeout(() => resolve({ code: FAILED, error: late }), this.#exportTimeoutMillis);
      timer.unref();
      const done = (result: ExportResult) => {
        clearTimeout(timer);
        resolve(result);
      };
      try {
        const quiet: Context = context.active().setValue(SUPPRESS_TRACING, true);
        context.with(quiet, () => this.#exporter.export(batch, done));
      } catch (error) {
        done({ code: FAILED, error: error instanceof Error ? error : new Error(String(error)) });
      }
    });
  }
}
