import { LONGEST_TIMER_MS } from '@hermes-observer/core';
import type { TracerOptions, TracerProvider } from '@opentelemetry/api';
import { error as logError } from '../api/diag.js';
import type { Resource, Sampler, SpanLimits, SpanProcessor } from '../sdk/types.js';
import { resolveLimits } from './limits.js';
import { ProcessorChain, type ProcessorErrorHandler } from './processor-chain.js';
import { observerResource } from './resource.js';
import type { ObserverSpan } from './span.js';
import { ObserverTracer } from './tracer.js';
import { ProviderState, TracerHost } from './tracer-host.js';

export interface ObserverTracerProviderOptions {
  /** Stands on every span. Default: `observerResource()`. */
  resource?: Resource;
  /** Any standard sampler. Default: as the parent was, and every root. */
  sampler?: Sampler;
  /** Default: 128 attributes, events, links, attributes of an event and of a link; values of any length. */
  spanLimits?: SpanLimits;
  /** Any standard span processors; they are called in this order. Default: none. */
  spanProcessors?: readonly SpanProcessor[];
  /** Record what is not sampled too, for processors that count. Default: false. */
  recordUnsampled?: boolean | undefined;
  /** Told once of each processor method that fails, and of a sampler that does. Default: one line at `diag`. */
  onError?: ProcessorErrorHandler;
}

/** Counts since the provider was made. */
export interface ProviderCounts {
  readonly started: number;
  readonly ended: number;
  /** Spans that ended after `shutdown()` and went nowhere. */
  readonly endedAfterShutdown: number;
  /** Calls of a processor that threw or rejected. */
  readonly processorErrors: number;
  /** Spans whose sampler threw; they were sampled as their parent was. */
  readonly samplerErrors: number;
}

export interface FlushOptions {
  /** How long one processor may take, in milliseconds. Default: 30,000. */
  timeoutMillis?: number;
}

const FLUSH_TIMEOUT_MS = 30_000;

/**
 * A `TracerProvider` for bridges that make many spans: the API's `Tracer`, and standard processors, exporters and
 * samplers behind it. It differs from the SDK's on purpose in these points: span and trace ids can be given
 * (`ObserverSpanOptions.ids`); what a processor or sampler throws never reaches the caller; after `shutdown()` spans
 * do not record; a cut value keeps its surrogate pairs whole.
 */
export class ObserverTracerProvider implements TracerProvider {
  readonly #resource: Resource;
  readonly #sampler: Sampler | undefined;
  readonly #limits: Required<SpanLimits>;
  readonly #chain: ProcessorChain;
  readonly #onError: ProcessorErrorHandler;
  readonly #tracers = new Map<string, ObserverTracer>();
  readonly #state = new ProviderState();
  #shutdown: Promise<void> | undefined;

  constructor(options: ObserverTracerProviderOptions = {}) {
    const { resource = observerResource(), sampler, spanProcessors = [], onError = reportToDiag } = options;
    this.#resource = resource;
    this.#sampler = sampler;
    this.#state.recordUnsampled = options.recordUnsampled === true;
    this.#limits = resolveLimits(options.spanLimits);
    this.#onError = onError;
    this.#chain = new ProcessorChain(spanProcessors, onError);
  }

  get counts(): ProviderCounts {
    const { started, ended, endedAfterShutdown, samplerErrors } = this.#state;
    return { started, ended, endedAfterShutdown, samplerErrors, processorErrors: this.#chain.errors };
  }

  /** The same tracer for the same name, version and schema URL. */
  getTracer(name: string, version?: string, options?: TracerOptions): ObserverTracer {
    const schemaUrl = options?.schemaUrl;
    const key = `${name}@${version ?? ''}:${schemaUrl ?? ''}`;
    let tracer = this.#tracers.get(key);
    if (tracer === undefined) {
      const scope = { name, version, schemaUrl } as ObserverSpan['instrumentationScope'];
      tracer = new ObserverTracer(
        new TracerHost(this.#resource, scope, this.#limits, this.#sampler, this.#chain, this.#state, this.#onError),
      );
      this.#tracers.set(key, tracer);
    }
    return tracer;
  }

  /**
   * Waits until every processor has flushed.
   * @throws AggregateError with the error of each processor that failed or took longer than `timeoutMillis`.
   */
  forceFlush(options: FlushOptions = {}): Promise<void> {
    return this.#all('forceFlush', options.timeoutMillis ?? FLUSH_TIMEOUT_MS);
  }

  /** Flushes and closes every processor, once; later calls get the same promise. Rejects as `forceFlush` does. */
  shutdown(options: FlushOptions = {}): Promise<void> {
    this.#shutdown ??= this.#all('shutdown', options.timeoutMillis ?? FLUSH_TIMEOUT_MS);
    this.#state.isShutdown = true;
    return this.#shutdown;
  }

  async #all(method: 'forceFlush' | 'shutdown', timeoutMillis: number): Promise<void> {
    const { processors } = this.#chain;
    const results = await Promise.allSettled(processors.map((processor) => within(processor, method, timeoutMillis)));
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (errors.length > 0) {
      throw new AggregateError(errors, `${method}: ${errors.length} of ${processors.length} span processors failed`);
    }
  }
}

async function within(processor: SpanProcessor, method: 'forceFlush' | 'shutdown', millis: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(new Error(`${processor.constructor?.name ?? 'SpanProcessor'}.${method} took longer than ${millis} ms`));
      },
      Math.min(millis, LONGEST_TIMER_MS),
    );
  });
  try {
    await Promise.race([processor[method](), late]);
  } finally {
    clearTimeout(timer);
  }
}

function reportToDiag(error: unknown, where: string): void {
  logError(`${where} failed; the span goes on without it, and further failures there are only counted.`, error);
}
