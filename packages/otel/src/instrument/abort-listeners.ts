import { quietly } from './settle.js';

/** Told when a signal aborts, as long as something else keeps it alive. */
export interface AbortListener {
  aborted(): void;
}

interface Listeners {
  readonly refs: Set<WeakRef<AbortListener>>;
  readonly onAbort: () => void;
}

interface Held {
  readonly signal: AbortSignal;
  readonly ref: WeakRef<AbortListener>;
}

/**
 * One listener on each signal, whatever number of streams it stops: a signal that lives as long as the program would keep
 * each stream that nobody reads, and Node warns of a signal with many listeners.
 */
const known = new WeakMap<AbortSignal, Listeners>();
const collected = new FinalizationRegistry<Held>(forget);

/** Tells `listener` when the signal aborts. It is held weakly. Returns the function that takes that back. */
export function whenAborted(signal: AbortSignal, listener: AbortListener): () => void {
  if (signal.aborted) return () => {};
  const held: Held = { signal, ref: new WeakRef(listener) };
  (known.get(signal) ?? listenTo(signal)).refs.add(held.ref);
  collected.register(listener, held, held.ref);
  return () => {
    collected.unregister(held.ref);
    forget(held);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const refs = new Set<WeakRef<AbortListener>>();
  const onAbort = () => {
    known.delete(signal);
    for (const ref of refs) quietly(() => ref.deref()?.aborted());
  };
  const listeners = { refs, onAbort };
  signal.addEventListener('abort', onAbort, { once: true });
  known.set(signal, listeners);
  return listeners;
}

/** Node keeps a signal made of others alive while it has a listener, so the last one takes ours along. */
function forget({ signal, ref }: Held): void {
  const listeners = known.get(signal);
  if (listeners?.refs.delete(ref) !== true || listeners.refs.size > 0) return;
  known.delete(signal);
  signal.removeEventListener('abort', listeners.onAbort);
}
