import type { Hub } from '@hermes-observer/core';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';

/** What adapters need of an observer. `Observer` is one. */
export interface AdapterHost extends Pick<Observer, 'contextOf' | 'run' | 'scope' | 'traceContext'> {
  readonly hub: Pick<Hub, 'emitLater' | 'deliverWaiting'>;
}

/** One for the process, whichever copy of this package asks, in ES modules and CommonJS alike. */
const SHARED = Symbol.for('hermes.observer.shared.1');

const place = globalThis as { [SHARED]?: Observer };

/**
 * The observer of the process for adapters that were given none: made of the environment (`OTEL_*`) when first asked for,
 * and closed when the program has nothing left to do.
 *
 * @param options of the one that is made, where none is there yet
 * @throws ObserverError where the environment has a wrong setting.
 */
export function sharedObserver(options?: ObserverOptions): Observer {
  const known = place[SHARED];
  if (known !== undefined) return known;
  const observer = createObserver(options);
  place[SHARED] = observer;
  process.once('beforeExit', () => void observer.shutdown());
  return observer;
}
