import Module from 'node:module';
import { hasSafeHooks } from '@hermes-observer/adapter/versions';
import type { OpenAIAgentsModule } from '../options.js';

/** The file of the SDK that has its `Runner`, in each copy and form of it. */
const FILE = String.raw`[\\/]@openai[\\/]agents-core[\\/]dist[\\/]run\.m?js$`;
const file = new RegExp(FILE);

/** What the file calls at its end. */
const TELL = 'hermes.observer.openai-agents.loaded.1';
const CALL = `\n;try{globalThis[Symbol.for('${TELL}')]?.({ Runner })}catch{}\n`;

/** Where copies of the SDK keep what they share: there once one is loaded. */
const TRACE_PROVIDER = Symbol.for('openai.agents.core.traceProvider');

type Tell = (copy: OpenAIAgentsModule) => void;

const listeners = new Set<Tell>();

interface Loaded {
  readonly format?: string | null;
  readonly source?: string | ArrayBuffer | NodeJS.ArrayBufferView;
}
type NextLoad = (url: string, context: unknown) => Loaded;

/** Parts of `node:module` that its types do not have. */
interface ModuleParts {
  readonly prototype: { _compile(source: string, filename: string): unknown };
  readonly register?: (specifier: string) => void;
  readonly registerHooks?: (hooks: { load(url: string, context: unknown, next: NextLoad): Loaded }) => unknown;
}
const parts = Module as unknown as ModuleParts;

/** Whether a copy was loaded already: it is not told of. */
export const isLoaded = (): boolean => TRACE_PROVIDER in globalThis;

/**
 * Has `tell` told of each copy of the SDK that is loaded from now on, as ES module or CommonJS, before the program gets it.
 * `tell` may not throw. Returns what ends it.
 */
export function onLoadedCopy(tell: Tell): () => void {
  const place = globalThis as { [key: symbol]: unknown };
  const told = Symbol.for(TELL);
  if (typeof place[told] !== 'function') {
    place[told] = (copy: OpenAIAgentsModule) => {
      for (const listener of listeners) listener(copy);
    };
    followRequire(place[told] as Tell);
    followImport();
  }
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

function followRequire(tell: Tell): void {
  const { prototype } = parts;
  const compile = prototype._compile;
  prototype._compile = function (this: { exports: OpenAIAgentsModule }, source, filename, ...rest: unknown[]) {
    const result = Reflect.apply(compile, this, [source, filename, ...rest]);
    if (file.test(filename)) tell(this.exports);
    return result;
  };
}

function followImport(): void {
  if (parts.registerHooks !== undefined && hasSafeHooks(process.versions.node)) {
    parts.registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        return file.test(url) ? withCall(loaded) : loaded;
      },
    });
    return;
  }
  parts.register?.(`data:text/javascript,${encodeURIComponent(HOOK)}`);
}

/** For Node.js before 22.22.3 and 24.11.1: hooks that are loaded as a module into a thread of their own. The same as text. */
const HOOK = `
const file = new RegExp(${JSON.stringify(FILE)});
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!file.test(url) || loaded.format !== 'module' || loaded.source == null) return loaded;
  const { source } = loaded;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  return { ...loaded, source: text + ${JSON.stringify(CALL)} };
}`;

function withCall(loaded: Loaded): Loaded {
  const { format, source } = loaded;
  if (format !== 'module' || source === undefined || source === null) return loaded;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  return { ...loaded, source: text + CALL };
}
