import { overlay, type Replacement } from './overlay.js';
import type { StreamWatch } from './stream-watch.js';

/** What steps through a stream: its iterator, or a generator that is its own. */
export function replaceStep(key: PropertyKey, source: object, watch: StreamWatch): Replacement | undefined {
  if (key === 'next') return (method, args) => watch.step(source, () => method(...args));
  if (key === 'return' || key === 'throw') return (method, args) => watch.step(source, () => method(...args), true);
  return undefined;
}

export const watchedIterator = <T extends object>(iterator: T, watch: StreamWatch): T =>
  overlay(iterator, (key) => replaceStep(key, iterator, watch));
