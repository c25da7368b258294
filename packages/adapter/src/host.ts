import type { Hub, TraceContext } from '@hermes-observer/core';
import { createObserver, type Observer } from '@hermes-observer/otel';

/** Names the span of a turn, or of a tool call or request in it. */
export interface SpanOf {
  readonly turnId: string;
  readonly toolCallId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** What adapters need of an observer. `Observer` is one. */
export interface AdapterHost {
  readonly hub: Pick<Hub, 'emit' | 'has'>;
  /** Calls `fn` at once with the span of these ids as the active one. */
  run<T>(ids: SpanOf, fn: () => T): T;
  /** W3C headers of the span that the code runs in. */
  traceContext(): TraceContext;
}

/** One for the process, whichever copy of this package asks, in ES modules and CommonJS alike. */
const SHARED = Symbol.for('hermes.observer.shared.1');

const place = globalThis as { [SHARED]?: Observer };

/**
 * The observer of the process for adapters that were given none: made of the environment (`OTEL_*`) when first asked for,
 * and closed when the program has nothing left to do.
 *
 * @throws ObserverError where the environment has a wrong setting.
 */
export function sharedObserver(): Observer {
  const known = place[SHARED];
  if (known !== undefined) return known;
  const observer = createObserver();
  place[SHARED] = observer;
  process.once('beforeExit', () => void observer.shutdown());
  return observer;
}
