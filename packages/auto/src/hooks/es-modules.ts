import type { LoadFnOutput, LoadHookContext } from 'node:module';
import { hasSafeHooks } from '@hermes-observer/adapter/versions';
import { hasFramework } from './installed.js';
import { watchedSource } from './watched-source.js';

/** What Node.js 20 does not have, nor its types. */
interface HooksInThread {
  registerHooks?(hooks: { load: typeof load }): unknown;
}

function load(
  url: string,
  context: LoadHookContext,
  nextLoad: (url: string, context: LoadHookContext) => LoadFnOutput,
): LoadFnOutput {
  const loaded = nextLoad(url, context);
  try {
    const source = watchedSource(url, loaded.format, loaded.source);
    return source === undefined ? loaded : { ...loaded, source };
  } catch {
    return loaded;
  }
}

/**
 * Watches ES modules. Where that takes a thread of its own, which takes a program some 30 ms to start, only if a framework
 * is installed where the program is.
 *
 * @param isWanted says that there is one, wherever it is
 */
export function watchEsModules(isWanted: boolean): void {
  const module = process.getBuiltinModule('node:module') as typeof import('node:module') & HooksInThread;
  if (module.registerHooks !== undefined && hasSafeHooks(process.versions.node)) module.registerHooks({ load });
  else if (isWanted || hasFramework(process.argv[1], process.cwd()))
    module.register(new URL('./loader.js', import.meta.url));
}
