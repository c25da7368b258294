const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `end` when a signal is about to end the program, which then ends by that signal. Signals that the program itself
 * listens to are the program's. While it does nothing but compute, the signal has to wait for it: so this is only on demand.
 */
export function beforeSignalsEnd(end: () => void): void {
  for (const signal of SIGNALS) {
    const listener = () => {
      if (process.listenerCount(signal) > 1) return;
      process.removeListener(signal, listener);
      end();
      process.kill(process.pid, signal);
    };
    process.on(signal, listener);
  }
}
