import type { ReadableSpan, SpanProcessor } from '@hermes-observer/otel';
import { Deferred } from '../deferred.js';
import { SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION } from '../scope.js';
import type { LoggerProvider } from './log-record.js';
import { logRecordsOf } from './span-log-records.js';

export interface LogSpanProcessorOptions {
  /** What is taken out of a span before it becomes log records; `null` leaves it out. @default nothing */
  readonly screen?: ((span: ReadableSpan) => ReadableSpan | null) | undefined;
  /** Told of what the screen or a logger threw, at most once. @default nobody */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const SAMPLED = 1;

/**
 * A standard span processor that makes log records of ended spans: details of requests, failures, approvals and decisions
 * of policies, a moment after their end. Of spans that are sampled, since a record is to lead to its trace.
 */
export class LogSpanProcessor implements SpanProcessor {
  readonly #logger: { emit(record: unknown): void };
  readonly #screen: ((span: ReadableSpan) => ReadableSpan | null) | undefined;
  readonly #onError: (error: unknown) => void;
  /** On a later turn of the event loop, so that no agent waits for it. */
  readonly #ended = new Deferred<ReadableSpan>((span) => this.#emit(span));
  #hasFailed = false;

  /** Spans that have no log records, or not all: something threw. */
  failedSpans = 0;
  constructor(loggerProvider: LoggerProvider, { screen, onError = () => {} }: LogSpanProcessorOptions = {}) {
    this.#logger = loggerProvider.getLogger(SIGNALS_SCOPE_NAME, SIGNALS_SCOPE_VERSION);
    this.#screen = screen;
    this.#onError = onError;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    this.#ended.add(span);
  }

  async forceFlush(): Promise<void> {
    this.#ended.drain();
  }

  async shutdown(): Promise<void> {
    this.#ended.drain();
  }

  #emit(span: ReadableSpan): void {
    try {
      if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
      const safe = this.#screen === undefined ? span : this.#screen(span);
      if (safe === null) return;
      for (const record of logRecordsOf(safe)) this.#logger.emit(record);
    } catch (error) {
      this.failedSpans++;
      if (!this.#hasFailed) this.#onError(error);
      this.#hasFailed = true;
    }
  }
}
