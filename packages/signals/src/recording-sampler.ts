import type { ObserverTracerProviderOptions } from '@hermes-observer/otel';
import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api';

type Sampler = NonNullable<ObserverTracerProviderOptions['sampler']>;

// The numbers of the standard `SamplingDecision`.
const NOT_RECORD = 0;
const RECORD = 1;

/**
 * A standard sampler that decides as another one does, and has recorded what that one drops: it reaches processors, so that
 * metrics count it, and no exporter, since it is not sampled. For a provider of the SDK; `createObserver({ metrics })` does
 * the same by itself.
 */
export class RecordingSampler implements Sampler {
  readonly #sampler: Sampler;

  constructor(sampler: Sampler) {
    this.#sampler = sampler;
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): ReturnType<Sampler['shouldSample']> {
    const result = this.#sampler.shouldSample(context, traceId, name, kind, attributes, links);
    return result.decision === NOT_RECORD ? { ...result, decision: RECORD } : result;
  }

  toString(): string {
    return `RecordingSampler{${this.#sampler.toString()}}`;
  }
}
