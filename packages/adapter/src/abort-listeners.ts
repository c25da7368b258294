/** Of runs that share a signal; those that threw unseen are among them, so the oldest are forgotten. */
const MOST_LISTENERS = 1_000;

/** Node.js 20 warns where many listen to one signal, so one does for all. */
const all = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `listener` once when `signal` aborts. Returns what ends that. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const known = all.get(signal);
  const listeners = known ?? new Set();
  const tell = () => {
    for (const one of listeners) one();
  };
  if (known === undefined) {
    all.set(signal, listeners);
    signal.addEventListener('abort', tell, { once: true });
  }
  listeners.add(listener);
  if (listeners.size > MOST_LISTENERS) listeners.delete(listeners.values().next().value as () => void);
  return () => void listeners.delete(listener);
}
