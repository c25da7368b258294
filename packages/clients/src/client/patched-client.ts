import { isPromise } from '@hermes-observer/adapter';
import { ObserverError } from '@hermes-observer/core';
import { CallGroup } from './call-group.js';
import { callLinks } from './call-links.js';
import { followPromise } from './followed-promise.js';
import { scopedFetch } from './scoped-fetch.js';
import type { Watcher } from './watcher.js';

/** A method of a client or of a part of it. */
export type Method = (this: object, ...args: unknown[]) => unknown;

/** Methods that both packages have in all their versions. */
const NEEDED = ['request', 'fetchWithTimeout'] as const;

/** Who watches a client, or all clients of a class, by the client or the prototype that has the methods. */
const watchers = new WeakMap<object, Set<Watcher>>();

/** Methods that look for watchers, by prototype. They stay so: with none, a method calls the one it stands for. */
const replaced = new WeakMap<object, Set<string>>();

/** Has `watcher` told of a client, or of all clients with this prototype. Returns what ends it. @throws ObserverError where it is none */
export function watchClients(target: object | undefined, watcher: Watcher): () => void {
  const prototype = prototypeOf(target);
  if (target === undefined || prototype === undefined)
    throw new ObserverError('HO_OPTION', 'what is to be observed is no client of openai or @anthropic-ai/sdk.');
  patch(prototype);
  let all = watchers.get(target);
  if (all === undefined) {
    all = new Set();
    watchers.set(target, all);
  }
  all.add(watcher);
  return () => void all.delete(watcher);
}

/** The prototype that a client, or the prototype of a class that extends it, has its methods of. */
function prototypeOf(target: object | undefined): object | undefined {
  for (let at: object | null = target ?? null; at !== null; at = Object.getPrototypeOf(at)) {
    const place = at;
    if (NEEDED.every((name) => typeof (Object.getOwnPropertyDescriptor(place, name)?.value as unknown) === 'function'))
      return at;
  }
  return undefined;
}

/** Who watches this client. */
export function watchersOf(client: object): readonly Watcher[] {
  let found: Watcher[] | undefined;
  for (let at: object | null = client; at !== null; at = Object.getPrototypeOf(at)) {
    const all = watchers.get(at);
    if (all === undefined || all.size === 0) continue;
    found ??= [];
    for (const watcher of all) if (!found.includes(watcher)) found.push(watcher);
  }
  return found ?? [];
}

/** Puts a method in the place of another that behaves as it does, once. */
export function replaceMethod(prototype: object, name: string, replacement: (original: Method) => Method): void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  const original: unknown = descriptor?.value;
  const known = replaced.get(prototype) ?? new Set();
  if (descriptor === undefined || typeof original !== 'function' || known.has(name)) return;
  replaced.set(prototype, known.add(name));
  const value = replacement(original as Method);
  for (const property of ['name', 'length']) {
    Object.defineProperty(value, property, { value: original[property as 'name'], configurable: true });
  }
  Object.defineProperty(prototype, name, { ...descriptor, value });
}

function patch(prototype: object): void {
  // Newer versions of Anthropic's give the options of the call to what sends it, which calls `fetch` only after it waited.
  const isLate = (prototype as { fetchWithTimeout: Method }).fetchWithTimeout.length > 4;
  replaceMethod(
    prototype,
    'request',
    (request) =>
      function (this: object, ...args) {
        const all = watchersOf(this);
        if (all.length === 0) return request.apply(this, args);
        const group = new CallGroup(this, all);
        const promise = callLinks.run(group, args[0], () => {
          begins(group, args[0]);
          return request.apply(this, args);
        });
        group.safely(() => followPromise(promise as object, group));
        return promise;
      },
  );
  replaceMethod(
    prototype,
    'fetchWithTimeout',
    (send) =>
      function (this: object, ...args) {
        const [, request, , , options] = args;
        const group = callLinks.of(this, options, request);
        const sent = () => send.apply(this, args) as Promise<Response>;
        if (group === undefined) return sent();
        return group.attempt(isLate && group.isBrief ? () => scopedFetch(this, group, sent) : sent);
      },
  );
  if (!isLate) replaceMethod(prototype, 'buildRequest', linkedBuild);
  replaceMethod(
    prototype,
    'retryRequest',
    (retry) =>
      function (this: object, ...args) {
        callLinks.of(this, args[0])?.retrying();
        return retry.apply(this, args);
      },
  );
  replaceMethod(
    prototype,
    'withOptions',
    (withOptions) =>
      function (this: object, ...args) {
        const client = withOptions.apply(this, args) as object;
        const own = watchers.get(this);
        if (own !== undefined && own.size > 0 && client !== this) watchers.set(client, own);
        return client;
      },
  );
}

/** Has the request of an attempt tell whose it is. */
const linkedBuild = (build: Method): Method =>
  function (this: object, ...args) {
    const group = callLinks.of(this, args[0]);
    const built = build.apply(this, args);
    if (group === undefined) return built;
    const link = (value: unknown) => callLinks.builds(group, (value as { req?: unknown } | undefined)?.req);
    // Before the client goes on: it waits for the same promise later. What it throws is the client's.
    if (isPromise(built)) built.then(link, () => {});
    else link(built);
    return built;
  };

/** Options may be promised; what the call belongs to is where it was made. */
function begins(group: CallGroup, options: unknown): void {
  const begin = (known: unknown) =>
    group.safely(() => {
      callLinks.asks(group, known);
      group.begin(known);
    });
  if (isPromise(options)) options.then(begin, () => {});
  else begin(options);
}
