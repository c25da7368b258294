const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPT = '\u0003';
const END = '\u0004';
const SUSPEND = '\u001a';

/** Resolves at a signal that ends a process, and at `q` or Ctrl-C on a terminal, which is as it was then. */
export function ended(keys?: NodeJS.ReadStream): Promise<void> {
  return new Promise<void>((resolve) => {
    const end = () => {
      for (const signal of SIGNALS) process.removeListener(signal, end);
      process.removeListener('SIGCONT', listen);
      keys?.removeListener('data', press);
      keys?.setRawMode(false);
      keys?.pause();
      resolve();
    };
    // Without it, a key would have to be followed by Enter.
    const listen = () => void keys?.setRawMode(true);
    const press = (bytes: Buffer) => {
      const text = bytes.toString();
      if (/^[qQ]$/.test(text) || text.includes(INTERRUPT) || text.includes(END)) end();
      else if (text.includes(SUSPEND)) {
        keys?.setRawMode(false);
        process.kill(process.pid, 'SIGTSTP');
      }
    };
    for (const signal of SIGNALS) process.once(signal, end);
    if (keys === undefined) return;
    listen();
    keys.on('data', press);
    keys.resume();
    process.on('SIGCONT', listen);
  });
}
