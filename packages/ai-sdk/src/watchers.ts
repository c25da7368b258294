import type { Watcher } from './tracing/handlers-6.js';

/** By whom runs of AI SDK 6 are observed now. */
export const watchers = new Set<Watcher>();
