import { known, processWide } from '@hermes-observer/adapter';
import type { Watcher } from '../client/watcher.js';

/** One for the process: a program may load this package twice, as ES module and bundled. */
const IN_USE = Symbol.for('hermes.observer.clients.watchers.1');

const areWatchers = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof (one as Watcher | null)?.host === 'object');

/** Who watches clients, the last one last. */
export const watching = (): Watcher[] => processWide(IN_USE, areWatchers, (): Watcher[] => []);

/** What runs turns: that of whoever watched clients last. `undefined` where nobody does. */
export const inUse = (): Watcher | undefined => known<Watcher[]>(IN_USE, areWatchers)?.at(-1);
