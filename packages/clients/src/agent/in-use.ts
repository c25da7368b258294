import type { Watcher } from '../client/watcher.js';

/** One for the process: a program may load this package twice, as ES module and bundled. */
const IN_USE = Symbol.for('hermes.observer.clients.watchers.1');

const place = globalThis as { [IN_USE]?: Watcher[] };

/** Who watches clients, the last one last. */
export const watching = (): Watcher[] => {
  place[IN_USE] ??= [];
  return place[IN_USE];
};

/** What runs turns: that of whoever watched clients last. `undefined` where nobody does. */
export const inUse = (): Watcher | undefined => place[IN_USE]?.at(-1);
