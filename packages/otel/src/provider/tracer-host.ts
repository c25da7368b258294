import type { Context } from '@opentelemetry/api';
import type { Resource, Sampler, SpanLimits } from '../sdk/types.js';
import type { ProcessorChain, ProcessorErrorHandler } from './processor-chain.js';
import type { ObserverSpan, SpanOwner } from './span.js';

/** What all tracers of a provider share. */
export class ProviderState {
  started = 0;
  ended = 0;
  endedAfterShutdown = 0;
  samplerErrors = 0;
  isShutdown = false;
  recordUnsampled = false;
}

/**
 * What a tracer and its spans need of their provider. A class: of object literals with functions of their own V8 knows no
 * common shape, and each span asks several times.
 */
export class TracerHost implements SpanOwner {
  readonly resource: Resource;
  readonly scope: ObserverSpan['instrumentationScope'];
  readonly limits: Required<SpanLimits>;
  readonly sampler: Sampler | undefined;
  readonly #room: number;
  readonly #chain: ProcessorChain;
  readonly #state: ProviderState;
  readonly #onError: ProcessorErrorHandler;

  constructor(
    resource: Resource,
    scope: ObserverSpan['instrumentationScope'],
    limits: Required<SpanLimits>,
    sampler: Sampler | undefined,
    chain: ProcessorChain,
    state: ProviderState,
    onError: ProcessorErrorHandler,
  ) {
    this.resource = resource;
    this.scope = scope;
    this.limits = limits;
    this.sampler = sampler;
    this.#room = limits.attributeValueLengthLimit === Infinity ? limits.attributeCountLimit : -1;
    this.#chain = chain;
    this.#state = state;
    this.#onError = onError;
  }

  get isShutdown(): boolean {
    return this.#state.isShutdown;
  }

  get recordUnsampled(): boolean {
    return this.#state.recordUnsampled;
  }

  hasRoomFor(attributes: number): boolean {
    return attributes <= this.#room;
  }

  started(span: ObserverSpan, parentContext: Context): void {
    this.#state.started++;
    this.#chain.onStart(span, parentContext);
  }

  ending(span: ObserverSpan): void {
    this.#chain.onEnding(span);
  }

  ended(span: ObserverSpan): void {
    const state = this.#state;
    state.ended++;
    if (state.isShutdown) state.endedAfterShutdown++;
    else this.#chain.onEnd(span);
  }

  samplerFailed(error: unknown): void {
    if (this.#state.samplerErrors++ > 0) return;
    try {
      this.#onError(error, 'sampler');
    } catch {
      // Whoever is told of a failure may not become one.
    }
  }
}
