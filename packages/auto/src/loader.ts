// Runs in the thread that loads ES modules for releases of Node.js without hooks in the program's own thread.
import type { LoadHook } from 'node:module';
import { watchedSource } from './hooks/watched-source.js';

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  try {
    const source = watchedSource(url, loaded.format, loaded.source);
    return source === undefined ? loaded : { ...loaded, source };
  } catch {
    return loaded;
  }
};
