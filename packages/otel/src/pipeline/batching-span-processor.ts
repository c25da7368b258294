import { isThenable, LONGEST_TIMER_MS, settle } from '@hermes-observer/core';
import type { Context } from '@opentelemetry/api';
import { active, run, SUPPRESS_TRACING } from '../api/context.js';
import { isSampled } from '../provider/span.js';
import { addTo, type SpansByReason } from '../sdk/counted-result.js';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '../sdk/types.js';
import { type ExportFailure, failureOf, thrown, unanswered } from './export-failure.js';
import { spanBytes } from './span-bytes.js';

export interface BatchingOptions {
  /** Spans that wait at most; further ones are dropped and counted. @default `OTEL_BSP_MAX_QUEUE_SIZE`, else no limit */
  readonly maxQueueSize?: number;
  /** Bytes that wait at most, about; further spans are dropped and counted. @default 128 MiB */
  readonly maxQueueBytes?: number;
  /** The most spans of one export. @default `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, else 512 */
  readonly maxBatchSize?: number;
  /** The most bytes of one export, about, unless a single span has more. @default 4 MiB */
  readonly maxBatchBytes?: number;
  /** How long a span waits for a full batch, in milliseconds. @default `OTEL_BSP_SCHEDULE_DELAY`, else 5000 */
  readonly delayMillis?: number;
  /** How long one export may take, in milliseconds. @default `OTEL_BSP_EXPORT_TIMEOUT`, else 30000 */
  readonly exportTimeoutMillis?: number;
  /**
   * What the exporter gets in place of a span; `null` leaves the span out. One that throws leaves it out as well, since it
   * may be there to keep something in.
   */
  readonly prepare?: (span: ReadableSpan) => ReadableSpan | null;
}

export const DEFAULT_EXPORT_TIMEOUT_MS = 30_000;
const DEFAULT_QUEUE_BYTES = 128 * 1024 * 1024;
const DEFAULT_BATCH_BYTES = 4 * 1024 * 1024;

/** The settings of the standard variables; what is no number from 1 is left out. */
export function batchingFromEnvironment(env: Readonly<Record<string, string | undefined>>): BatchingOptions {
  const number = (name: string) => (env[name] === undefined ? undefined : atLeastOne(Number(env[name]), undefined));
  const options: Partial<Record<keyof BatchingOptions, number | undefined>> = {
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
    maxBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    delayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function atLeastOne<Default>(value: number | undefined, otherwise: Default): number | Default {
  return value !== undefined && value >= 1 ? Math.floor(value) : otherwise;
}

/** Whoever waits for all spans up to a number. */
interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
}

/**
 * Exports ended spans in batches, off the stack of whoever ended them, in order, one export at a time. Takes a burst of
 * as many spans as its queue holds by their bytes; what it has to drop is counted. Every span it took is in one of `exportedSpans`,
 * `failedSpans`, `droppedSpans` and `leftOutSpans`, or in `pendingSpans`. Needs no SDK package, so it serves
 * OpenTelemetry 2.x and 3.x alike.
 */
export class BatchingSpanProcessor implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #maxQueueSize: number;
  readonly #maxQueueBytes: number;
  readonly #maxBatchSize: number;
  readonly #maxBatchBytes: number;
  readonly #delayMillis: number;
  readonly #exportTimeoutMillis: number;
  readonly #prepare: ((span: ReadableSpan) => ReadableSpan | null) | undefined;
  #queue: ReadableSpan[] = [];
  /** Bytes of each span in the queue, and of all of them and those being exported. */
  #sizes: number[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #running: Promise<void> | undefined;
  #shutdown: Promise<void> | undefined;
  /** Spans that came into the queue, and those of them that are done with. */
  #taken = 0;
  #settled = 0;
  #waiting: Waiting[] = [];
  /** Ends the wait for the export under way. */
  #abandon: ((failure: ExportFailure) => void) | undefined;
  readonly #givenUp: { readonly promise: Promise<void>; readonly resolve: () => void };
  exportedSpans = 0;
  failedSpans = 0;
  readonly #failed: Record<string, number> = {};
  readonly #dropped = { queue_full: 0, already_shutdown: 0 };
  /** Spans handed to the exporter so far, and those it has not answered for. */
  submittedSpans = 0;
  inFlightSpans = 0;
  /** Spans that `prepare` left out. */
  leftOutSpans = 0;
  lastError: Error | undefined = undefined;

  constructor(exporter: SpanExporter, options: BatchingOptions = {}) {
    this.#exporter = exporter;
    this.#prepare = options.prepare;
    this.#maxQueueSize = atLeastOne(options.maxQueueSize, Number.POSITIVE_INFINITY);
    this.#maxQueueBytes = atLeastOne(options.maxQueueBytes, DEFAULT_QUEUE_BYTES);
    this.#maxBatchBytes = atLeastOne(options.maxBatchBytes, DEFAULT_BATCH_BYTES);
    this.#maxBatchSize = Math.min(atLeastOne(options.maxBatchSize, 512), this.#maxQueueSize);
    this.#delayMillis = Math.min(atLeastOne(options.delayMillis, 5_000), LONGEST_TIMER_MS);
    this.#exportTimeoutMillis = Math.min(
      atLeastOne(options.exportTimeoutMillis, DEFAULT_EXPORT_TIMEOUT_MS),
      LONGEST_TIMER_MS,
    );
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    this.#givenUp = { promise, resolve };
  }

  /** `failedSpans` by why: `timeout`, `shutdown`, what the exporter says, else the code or class of its error. */
  get failedByReason(): SpansByReason {
    return this.#failed;
  }

  /** Spans that found the queue full, or ended after `shutdown()`. */
  get droppedSpans(): number {
    return this.#dropped.queue_full + this.#dropped.already_shutdown;
  }

  get droppedByReason(): SpansByReason {
    return this.#dropped;
  }

  /** Spans that wait, without those being exported. */
  get queuedSpans(): number {
    return this.#queue.length;
  }

  /** Most spans, and most bytes, that may wait. */
  get capacity(): { readonly spans: number; readonly bytes: number } {
    return { spans: this.#maxQueueSize, bytes: this.#maxQueueBytes };
  }

  /** Bytes of spans that wait or are being exported, about. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  get #isBatchFull(): boolean {
    const { length } = this.#queue;
    return length >= this.#maxBatchSize || (length > 0 && this.#bytes >= this.#maxBatchBytes);
  }

  /** Spans that wait or are being exported. */
  get pendingSpans(): number {
    return this.#taken - this.#settled;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (!isWanted(span)) return;
    if (this.#shutdown !== undefined) {
      this.#dropped.already_shutdown++;
      return;
    }
    const size = sizeOf(span);
    const isFull = this.#queue.length >= this.#maxQueueSize || this.#bytes + size > this.#maxQueueBytes;
    // One that is larger than the whole queue may wait in it alone.
    if (isFull && this.pendingSpans > 0) {
      this.#dropped.queue_full++;
      return;
    }
    this.#queue.push(span);
    this.#sizes.push(size);
    this.#bytes += size;
    this.#taken++;
    if (this.#running !== undefined) return;
    if (this.#isBatchFull) this.#immediate ??= setImmediate(() => this.#start(false));
    else if (this.#timer === undefined) this.#startLater();
  }

  /** Resolves when every span that had ended by now was exported or given up, and the exporter has flushed. */
  async forceFlush(): Promise<void> {
    if (this.pendingSpans > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push({ until: this.#taken, resolve });
        this.#start(true);
      });
    }
    await this.#exporter.forceFlush?.();
  }

  /** For so long the exporter is not to try for long what meets nobody. @default for ever */
  hurry(millis?: number): void {
    (this.#exporter as { hurry?: (millis?: number) => void }).hurry?.(millis);
  }

  /** Flushes and closes the exporter, once. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#close();
    return this.#shutdown;
  }

  async #close(): Promise<void> {
    try {
      // One of ours tries for long what meets nobody, which the end of a program is not to wait for.
      this.hurry();
      await Promise.race([this.forceFlush(), this.#givenUp.promise]);
    } finally {
      await this.#exporter.shutdown?.();
    }
  }

  /** Waits no longer: what is pending counts as failed, and a shutdown under way closes the exporter. */
  giveUp(): void {
    if (this.pendingSpans > 0) {
      const error = unanswered(this.#exporter);
      this.#fail(this.#queue.length, { error, lost: { shutdown: this.#queue.length } });
      this.#settled += this.#queue.length;
      this.#queue = [];
      this.#sizes = [];
      this.#bytes = 0;
      this.lastError = error;
      this.#abandon?.({ error, lost: { shutdown: Number.POSITIVE_INFINITY } });
    }
    this.#givenUp.resolve();
  }

  #startLater(): void {
    this.#timer = setTimeout(() => this.#start(true), this.#delayMillis);
    this.#timer.unref();
  }

  /** Exports full batches, and with `all` what is left over as well. There is one run at a time. */
  #start(all: boolean): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    this.#running ??= this.#run(all).finally(() => {
      this.#running = undefined;
      if (this.#queue.length === 0) return;
      if (this.#waiting.length > 0) this.#start(true);
      else this.#startLater();
    });
  }

  async #run(all: boolean): Promise<void> {
    let left = all ? this.#queue.length : 0;
    while (this.#isBatchFull || (left > 0 && this.#queue.length > 0)) {
      const { batch, bytes } = this.#takeBatch();
      left -= batch.length;
      const spans = this.#prepared(batch);
      // The list is the exporter's from here on.
      const { length } = spans;
      this.leftOutSpans += batch.length - length;
      this.submittedSpans += length;
      this.inFlightSpans = length;
      const failure = length === 0 ? undefined : await this.#export(spans);
      this.inFlightSpans = 0;
      this.exportedSpans += length - (failure === undefined ? 0 : this.#fail(length, failure));
      this.#settled += batch.length;
      this.#bytes = Math.max(0, this.#bytes - bytes);
      this.#waiting = this.#waiting.filter(({ until, resolve }) => {
        if (until > this.#settled) return true;
        resolve();
        return false;
      });
    }
  }

  /** Counts those of `spans` that were lost; returns how many. */
  #fail(spans: number, { error, lost }: ExportFailure): number {
    let failed = 0;
    for (const [reason, count] of Object.entries(lost)) {
      const some = count > 0 ? Math.min(count, spans - failed) : 0;
      addTo(this.#failed, reason, some);
      failed += some;
    }
    this.failedSpans += failed;
    this.lastError = error;
    return failed;
  }

  /** The oldest spans of the queue, one at least. */
  #takeBatch(): { batch: ReadableSpan[]; bytes: number } {
    let bytes = 0;
    let count = 0;
    while (count < this.#maxBatchSize && count < this.#sizes.length) {
      const size = this.#sizes[count] as number;
      if (count > 0 && bytes + size > this.#maxBatchBytes) break;
      bytes += size;
      count++;
    }
    this.#sizes.splice(0, count);
    return { batch: this.#queue.splice(0, count), bytes };
  }

  #prepared(batch: readonly ReadableSpan[]): ReadableSpan[] {
    const prepare = this.#prepare;
    if (prepare === undefined) return [...batch];
    return batch.flatMap((span) => {
      try {
        return prepare(span) ?? [];
      } catch {
        return [];
      }
    });
  }

  /** Why the exporter did not take all spans. Never rejects, whatever the exporter does. */
  async #export(spans: ReadableSpan[]): Promise<ExportFailure | undefined> {
    const { length } = spans;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ExportFailure | undefined>((resolve) => {
        this.#abandon = resolve;
        const late = new Error(`the exporter did not answer within ${this.#exportTimeoutMillis} ms`);
        timer = setTimeout(() => resolve({ error: late, lost: { timeout: length } }), this.#exportTimeoutMillis);
        timer.unref();
        const quiet: Context = active().setValue(SUPPRESS_TRACING, true);
        const returned: unknown = run(quiet, () =>
          this.#exporter.export(spans, (result) => resolve(failureOf(result, length))),
        );
        // Exporters written as async functions reject instead of calling back.
        if (isThenable(returned)) settle(returned, undefined, (error) => resolve(thrown(error, length)));
      });
    } catch (error) {
      return thrown(error, length);
    } finally {
      clearTimeout(timer);
      this.#abandon = undefined;
    }
  }
}

/** Also a span whose context throws: whoever exports it will say what becomes of it. */
function isWanted(span: ReadableSpan): boolean {
  try {
    return isSampled(span);
  } catch {
    return true;
  }
}

/** A span whose fields throw is small; whoever exports it will see. */
function sizeOf(span: ReadableSpan): number {
  try {
    return spanBytes(span);
  } catch {
    return 0;
  }
}
