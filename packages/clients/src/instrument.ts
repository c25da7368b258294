import {
  type AdapterHost,
  besideShared,
  CountedUses,
  checkOptions,
  type KnownOptions,
  sharedObserver,
} from '@hermes-observer/adapter';
import { watching } from './agent/in-use.js';
import { fieldsOf } from './answer/fields.js';
import { watchClients } from './client/patched-client.js';
import { Watcher } from './client/watcher.js';
import { type ClientsOptions, KNOWN_OPTIONS } from './options.js';
import { patchRunTools } from './runner/run-tools.js';
import { patchToolRunner } from './runner/tool-runner.js';

/** Observers that turns may be told to; of more of them the oldest are forgotten. */
const MOST_WATCHERS = 16;

const watchers = new WeakMap<AdapterHost, Watcher>();
const used = new CountedUses<Watcher>();

function watcherOf(options: ClientsOptions): Watcher {
  const host = options.observer ?? sharedObserver();
  const watcher = watchers.get(host) ?? new Watcher(host, options);
  watchers.set(host, watcher);
  return watcher;
}

const forget = (watcher: Watcher): void => {
  const all = watching();
  const place = all.indexOf(watcher);
  if (place >= 0) all.splice(place, 1);
};

/** Watches for as long as one of what it began is not ended. */
function watch(target: object | undefined, options: ClientsOptions): () => void {
  const watcher = watcherOf(options);
  const begin = () => watchClients(target, watcher);
  const end = target === undefined ? begin() : watcher.watched.begin(target, begin);
  const leave = used.begin(watcher, () => {
    const apart = besideShared('clients', watcher.host, watcher.guard);
    return () => {
      apart();
      forget(watcher);
      watchers.delete(watcher.host);
    };
  });
  forget(watcher);
  if (watching().push(watcher) > MOST_WATCHERS) watching().shift();
  return () => {
    end();
    leave();
  };
}

const prototypeOfResource = (resource: unknown): object | undefined =>
  typeof resource === 'object' && resource !== null ? (Object.getPrototypeOf(resource) as object) : undefined;

/**
 * Observes this client of the package `openai`, and those that its `withOptions` gives, from now on. Azure's and others that
 * extend it are clients as well. Gives the same client.
 *
 * @throws ObserverError for a wrong option, where it is no client, or where no `observer` is given and the environment has a wrong setting.
 */
export function observeOpenAI<Client extends object>(client: Client, options: ClientsOptions = {}): Client {
  checkOptions('observeOpenAI', options, KNOWN_OPTIONS);
  watch(client, options);
  const completions = prototypeOfResource(fieldsOf(fieldsOf(client).chat).completions);
  if (completions !== undefined) patchRunTools(completions);
  return client;
}

/**
 * Observes this client of `@anthropic-ai/sdk`, and those that its `withOptions` gives, from now on. Those of Bedrock and Vertex
 * are clients as well. Gives the same client.
 *
 * @throws ObserverError for a wrong option, where it is no client, or where no `observer` is given and the environment has a wrong setting.
 */
export function observeAnthropic<Client extends object>(client: Client, options: ClientsOptions = {}): Client {
  checkOptions('observeAnthropic', options, KNOWN_OPTIONS);
  watch(client, options);
  const messages = prototypeOfResource(fieldsOf(fieldsOf(client).beta).messages);
  if (messages !== undefined) patchToolRunner(messages);
  return client;
}

/** Which copy of a package. */
export interface ModuleOptions extends ClientsOptions {
  /** What `import * as module from 'openai'`, or `require('openai')`, gives; or the class itself. */
  readonly module: object;
}

const ofModule = (id: string): KnownOptions<ModuleOptions> => ({
  ...KNOWN_OPTIONS,
  module: {
    is: (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
    must: `be what import * as module from '${id}' gives, or the class of its clients`,
    isNeeded: true,
  },
});

/** The class by one of these names, in a namespace, in what it has as default, or the thing itself. */
function classIn(module: object, names: readonly string[]): { readonly prototype?: object } {
  const { default: inner } = fieldsOf(module);
  for (const place of [module, inner]) {
    for (const name of names) {
      const found = (place as Record<string, unknown> | undefined)?.[name];
      if (typeof found === 'function') return found as unknown as { readonly prototype: object };
    }
  }
  return (typeof inner === 'function' ? inner : module) as { readonly prototype?: object };
}

/**
 * Observes all clients of a copy of the package `openai`, those that are there already as well. A program may have several:
 * ES modules and CommonJS have one each. Returns the function that ends it,
 * with the last one of those that the same observer and copy have.
 *
 * @throws ObserverError for a wrong option, where it has no client, or where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentOpenAI(given: ModuleOptions): () => void {
  checkOptions('instrumentOpenAI', given, ofModule('openai'));
  const { module, ...options } = given;
  const client = classIn(module, ['OpenAI']);
  const end = watch(client.prototype, options);
  const { Chat } = client as { Chat?: { Completions?: { prototype: object } } };
  if (Chat?.Completions !== undefined) patchRunTools(Chat.Completions.prototype);
  return end;
}

/**
 * Observes all clients of a copy of `@anthropic-ai/sdk`, those that are there already and those of Bedrock and Vertex as
 * well. A program may have several: ES modules and CommonJS have one each. Returns the function that ends it,
 * with the last one of those that the same observer and copy have.
 *
 * @throws ObserverError for a wrong option, where it has no client, or where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentAnthropic(given: ModuleOptions): () => void {
  checkOptions('instrumentAnthropic', given, ofModule('@anthropic-ai/sdk'));
  const { module, ...options } = given;
  const client = classIn(module, ['BaseAnthropic', 'Anthropic']);
  const end = watch(client.prototype, options);
  const { Beta } = classIn(module, ['Anthropic']) as { Beta?: { Messages?: { prototype: object } } };
  if (Beta?.Messages !== undefined) patchToolRunner(Beta.Messages.prototype);
  return end;
}
