import type { Hub } from '@hermes-observer/core';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import { closeWhenDone } from './close-when-done.js';
import { hasMethods, known, processWide } from './process-wide.js';

/** What adapters need of an observer. `Observer` is one. */
export interface AdapterHost extends Pick<Observer, 'contextOf' | 'run' | 'scope' | 'traceContext'> {
  readonly hub: Pick<Hub, 'emitLater' | 'deliverWaiting'>;
}

/** One for the process, whichever copy of this package asks, in ES modules and CommonJS alike. */
const SHARED = Symbol.for('hermes.observer.shared.1');
const isObserver = (value: unknown): boolean => isHost(value) && hasMethods('flush', 'shutdown')(value);

/** Whether it has what adapters need of an observer, of whichever copy of its package. Never throws. */
export function isHost(value: unknown): value is AdapterHost {
  try {
    return (
      hasMethods('contextOf', 'run', 'traceContext')(value) &&
      hasMethods('emitLater', 'deliverWaiting')((value as AdapterHost).hub)
    );
  } catch {
    // What throws when it is looked at is none.
    return false;
  }
}

/** Whether it is that of the process. */
export const isShared = (host: AdapterHost): boolean => host === known(SHARED, isObserver);

/**
 * The observer of the process for adapters that were given none: made of the environment (`OTEL_*`) when first asked for,
 * and closed when the program has nothing left to do.
 *
 * @param options of the one that is made, where none is there yet
 * @throws ObserverError where the environment has a wrong setting.
 */
export function sharedObserver(options?: ObserverOptions): Observer {
  return processWide(SHARED, isObserver, () => {
    const observer = createObserver(options);
    closeWhenDone(observer);
    return observer;
  });
}
