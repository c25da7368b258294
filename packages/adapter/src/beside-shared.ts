import type { Guard } from './guard.js';
import { type AdapterHost, isShared } from './host.js';
import { hasMethods, processWide } from './process-wide.js';

/** Who observes a framework now, in all copies of this package. */
interface Observed {
  shared: number;
  others: number;
  isTold: boolean;
}

const OBSERVED = Symbol.for('hermes.observer.adapter.observed.1');

/**
 * Says once where the observer of the process and one of the program's own observe the same framework, which makes all spans of it
 * twice. An adapter calls it when it begins; what is returned, when it ends.
 *
 * @param adapter its name for `HERMES_OBSERVER_AUTO_FRAMEWORKS`, such as `ai-sdk`
 */
export function besideShared(adapter: string, host: AdapterHost, guard: Guard): () => void {
  const all = processWide(OBSERVED, hasMethods('get', 'set'), () => new Map<string, Observed>());
  const observed = all.get(adapter) ?? { shared: 0, others: 0, isTold: false };
  all.set(adapter, observed);
  const kind = isShared(host) ? 'shared' : 'others';
  observed[kind]++;
  if (observed.shared > 0 && observed.others > 0 && !observed.isTold) {
    observed.isTold = true;
    guard.tell(
      `all spans are made twice: by an observer that the program gives, and by that of the process (of @hermes-observer/auto, /register, or a call without observer): leave one of them out, auto by HERMES_OBSERVER_AUTO_FRAMEWORKS=-${adapter}`,
    );
  }
  let isEnded = false;
  return () => {
    if (isEnded) return;
    isEnded = true;
    observed[kind]--;
  };
}
