const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `end` when a signal is about to end the program, which then ends by that signal. Signals that the program itself
 * listens to are the program's. While it does nothing but compute, the signal has to wait for it: so this is only on demand.
 */
export function beforeSignalsEnd(end: () => void): void {
  for (const signal of SIGNALS) {
    const listener = () => {
      process.removeListener(signal, listener);
      if (process.listenerCount(signal) === 0) {
        end();
        process.kill(process.pid, signal);
        return;
      }
      // Some listeners (those of `signal-exit`) end the program where all others are of their kind: for them this one is not there.
      const restore = beforeKilledBy(signal, end);
      process.nextTick(() => {
        restore();
        process.prependListener(signal, listener);
      });
    };
    // Before the others, so that they count without it.
    process.prependListener(signal, listener);
  }
}

/** Calls `end` before the program sends itself a signal that it does not listen to. Returns what ends that. */
function beforeKilledBy(signal: NodeJS.Signals, end: () => void): () => void {
  const { kill } = process;
  const watched: typeof kill = (pid, sent) => {
    if (pid === process.pid && sent === signal && process.listenerCount(signal) === 0) end();
    return kill.call(process, pid, sent);
  };
  process.kill = watched;
  return () => {
    if (process.kill === watched) process.kill = kill;
  };
}
