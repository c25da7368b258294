import { isThenable, settle } from '@hermes-observer/core';
import type { Context } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '../sdk/types.js';

type Stage = 'onStart' | 'onEnding' | 'onEnd';

/** Called once for each processor and stage that fails; later failures there are only counted. */
export type ProcessorErrorHandler = (error: unknown, where: string) => void;

/** The span processors of a provider, in order. What one of them throws or rejects stays here. */
export class ProcessorChain {
  /** Calls of a processor that failed. */
  errors = 0;
  readonly processors: readonly SpanProcessor[];
  readonly #ending: readonly SpanProcessor[];
  readonly #onError: ProcessorErrorHandler;
  readonly #reported = new Map<SpanProcessor, Set<Stage>>();

  constructor(processors: readonly SpanProcessor[], onError: ProcessorErrorHandler) {
    this.processors = [...processors];
    this.#ending = this.processors.filter((processor) => typeof processor.onEnding === 'function');
    this.#onError = onError;
  }

  onStart(span: Span, parentContext: Context): void {
    const { processors } = this;
    for (let i = 0; i < processors.length; i++) {
      const processor = processors[i] as SpanProcessor;
      try {
        this.#watch(processor, 'onStart', processor.onStart(span, parentContext));
      } catch (error) {
        this.#failed(processor, 'onStart', error);
      }
    }
  }

  onEnding(span: Span): void {
    for (const processor of this.#ending) {
      try {
        this.#watch(processor, 'onEnding', processor.onEnding?.(span));
      } catch (error) {
        this.#failed(processor, 'onEnding', error);
      }
    }
  }

  onEnd(span: ReadableSpan): void {
    const { processors } = this;
    for (let i = 0; i < processors.length; i++) {
      const processor = processors[i] as SpanProcessor;
      try {
        this.#watch(processor, 'onEnd', processor.onEnd(span));
      } catch (error) {
        this.#failed(processor, 'onEnd', error);
      }
    }
  }

  /** An `async` stage is not awaited, but its rejection must not end the process. */
  #watch(processor: SpanProcessor, stage: Stage, result: unknown): void {
    if (isThenable(result)) settle(result, undefined, (error) => this.#failed(processor, stage, error));
  }

  #failed(processor: SpanProcessor, stage: Stage, error: unknown): void {
    this.errors++;
    const stages = this.#reported.get(processor) ?? new Set<Stage>();
    if (stages.has(stage)) return;
    this.#reported.set(processor, stages.add(stage));
    try {
      this.#onError(error, `${processor.constructor?.name ?? 'SpanProcessor'}.${stage}`);
    } catch {
      // Whoever is told of a failure may not become one.
    }
  }
}
