import { ObserverError } from '@hermes-observer/core';
import type { Context } from '@opentelemetry/api';
import { active, run, SUPPRESS_TRACING } from '../api/context.js';
import { isSampled } from '../provider/span.js';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '../sdk/types.js';

export interface LosslessSpanProcessorOptions {
  readonly exporter: SpanExporter;
  /** The most spans of one export. Default: 512. */
  readonly maxBatchSize?: number;
  /** From this many waiting spans on `ready()` tells the producer to wait. Default: 8 batches, minimum: one. */
  readonly highWaterMark?: number;
}

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

const SUCCESS = 0;
const DEFAULT_BATCH_SIZE = 512;
const DEFAULT_BATCHES_WAITING = 8;

/**
 * Hands every ended span to the exporter, in order, in batches, one export at a time. Nothing is dropped because a
 * queue is full: the producer awaits `ready()` between its records instead. Only a flush exports a batch that is not
 * full, so the batches of the same spans are the same. For replays and other batch tools; a live agent must never
 * wait, and takes a `BatchSpanProcessor`.
 */
export class LosslessSpanProcessor implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #maxBatchSize: number;
  readonly #highWaterMark: number;
  #queue: ReadableSpan[] = [];
  /** How many spans at the front of the queue are taken. */
  #taken = 0;
  #pump: Promise<void> | undefined;
  #flushes = 0;
  #room: Room | undefined;
  #receivedSpans = 0;
  #exportedSpans = 0;
  #failedSpans = 0;
  #lastError: Error | undefined;
  /** Failed spans that a `forceFlush()` has already reported. */
  #reportedFailures = 0;
  #shutdown: Promise<void> | undefined;

  /** @throws ObserverError `HO_OPTION` for sizes below 1. */
  constructor(options: LosslessSpanProcessorOptions) {
    const { exporter, maxBatchSize = DEFAULT_BATCH_SIZE } = options;
    const { highWaterMark = maxBatchSize * DEFAULT_BATCHES_WAITING } = options;
    if (!(maxBatchSize >= 1) || !(highWaterMark >= 1)) {
      throw new ObserverError(
        'HO_OPTION',
        `maxBatchSize ${maxBatchSize}, highWaterMark ${highWaterMark}: use 1 or more.`,
      );
    }
    this.#exporter = exporter;
    this.#maxBatchSize = Math.floor(maxBatchSize);
    this.#highWaterMark = Math.max(highWaterMark, this.#maxBatchSize);
  }

  /** Sampled spans that ended: `exportedSpans` + `failedSpans` + `pendingSpans`. */
  get receivedSpans(): number {
    return this.#receivedSpans;
  }

  /** Spans that wait, or that the exporter has not answered for yet. None after `shutdown()` has settled. */
  get pendingSpans(): number {
    return this.#receivedSpans - this.#exportedSpans - this.#failedSpans;
  }

  /** Spans the exporter has taken. */
  get exportedSpans(): number {
    return this.#exportedSpans;
  }

  /** Spans of exports that failed. */
  get failedSpans(): number {
    return this.#failedSpans;
  }

  /** The error of the last export that failed. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** `undefined` while there is room. Else a promise that resolves when half of the waiting spans are exported. */
  ready(): Promise<void> | undefined {
    if (this.#waiting < this.#highWaterMark) return undefined;
    this.#room ??= createRoom();
    return this.#room.promise;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (!isSampled(span)) return;
    this.#receivedSpans++;
    if (this.#shutdown !== undefined) {
      this.#failed(1, new ObserverError('HO_EXPORT_FAILED', 'A span ended after shutdown() of its processor.'));
      return;
    }
    this.#queue.push(span);
    if (this.#waiting >= this.#maxBatchSize) this.#pump ??= this.#run();
  }

  /**
   * Exports all that waits and waits for what is in flight.
   * @throws ObserverError `HO_EXPORT_FAILED` (`cause`: the last error) if spans failed since the last flush.
   */
  async forceFlush(): Promise<void> {
    this.#flushes++;
    try {
      while (this.#waiting > 0 || this.#pump !== undefined) {
        this.#pump ??= this.#run();
        await this.#pump;
      }
    } finally {
      this.#flushes--;
    }
    await this.#exporter.forceFlush?.();
    this.#report();
  }

  /** Flushes, then shuts the exporter down, whether or not the flush failed. Once. Rejects as `forceFlush` does. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#close();
    return this.#shutdown;
  }

  async #close(): Promise<void> {
    try {
      await this.forceFlush();
    } finally {
      await this.#exporter.shutdown();
    }
  }

  #report(): void {
    const failed = this.#failedSpans - this.#reportedFailures;
    this.#reportedFailures = this.#failedSpans;
    if (failed === 0) return;
    const reason = this.#lastError?.message ?? 'unknown error';
    throw new ObserverError(
      'HO_EXPORT_FAILED',
      `${failed} ${failed === 1 ? 'span was' : 'spans were'} not exported: ${reason}`,
      {
        cause: this.#lastError,
      },
    );
  }

  async #run(): Promise<void> {
    // The producer's stack is left first: it does not wait for an exporter that works synchronously.
    await Promise.resolve();
    while (this.#waiting >= (this.#flushes > 0 ? 1 : this.#maxBatchSize)) {
      await this.#settle(this.#takeBatch());
      if (this.#waiting <= this.#highWaterMark / 2) this.#makeRoom();
    }
    this.#makeRoom();
    this.#pump = undefined;
  }

  get #waiting(): number {
    return this.#queue.length - this.#taken;
  }

  #takeBatch(): ReadableSpan[] {
    const batch = this.#queue.slice(this.#taken, this.#taken + this.#maxBatchSize);
    this.#taken += batch.length;
    // Moving the rest to the front once it is the smaller part keeps a long queue linear.
    if (this.#taken * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#taken);
      this.#taken = 0;
    }
    return batch;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  async #settle(batch: ReadableSpan[]): Promise<void> {
    try {
      for (const span of batch) {
        if (span.resource.asyncAttributesPending) await span.resource.waitForAsyncAttributes?.();
      }
      const result = await this.#export(batch);
      if (result.code === SUCCESS) this.#exportedSpans += batch.length;
      else this.#failed(batch.length, result.error ?? new Error('The exporter gave no reason.'));
    } catch (error) {
      this.#failed(batch.length, error instanceof Error ? error : new Error(String(error)));
    }
  }

  #export(batch: ReadableSpan[]): Promise<ExportResult> {
    const suppressed: Context = active().setValue(SUPPRESS_TRACING, true);
    return new Promise((resolve) => {
      run(suppressed, () => this.#exporter.export(batch, resolve));
    });
  }

  #failed(count: number, error: Error): void {
    this.#failedSpans += count;
    this.#lastError = error;
  }
}

interface Room {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function createRoom(): Room {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
