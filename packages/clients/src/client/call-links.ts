import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallGroup } from './call-group.js';

/** By the options of a call, which all of its attempts are made of. */
const byOptions = new WeakMap<object, CallGroup | typeof SHARED>();

/** By what an attempt gives to `fetch`. */
const byRequest = new WeakMap<object, CallGroup>();

/** Options of several calls: they do not tell whose. */
const SHARED = Symbol('shared');

/** For calls that objects do not tell. Before Node.js 24 its first use makes each promise of the process dearer. */
const storage = new AsyncLocalStorage<CallGroup>();

/** Once some calls need the storage all have it: a call inside the code of another one is to be told from that. */
let isStored = false;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A client that renews its token in the middle of a call goes on with a copy of the options. */
const copiesOptions = (client: object): boolean =>
  (client as { _workloadIdentityAuth?: unknown })._workloadIdentityAuth !== undefined;

/** Which call of a client its methods work for. */
export const callLinks = {
  /** Calls `fn`, which asks with these options. */
  run<T>(group: CallGroup, options: unknown, fn: () => T): T {
    if (!isStored && (copiesOptions(group.client) || (isObject(options) && byOptions.has(options)))) isStored = true;
    return callLinks.resume(group, fn);
  },

  /** Calls `fn`, which goes on with the call. */
  resume: <T>(group: CallGroup, fn: () => T): T => (isStored ? storage.run(group, fn) : fn()),

  /** The options are known. */
  asks(group: CallGroup, options: unknown): void {
    if (!isObject(options)) return;
    const isShared = byOptions.has(options) && storage.getStore() !== group;
    byOptions.set(options, isShared ? SHARED : group);
  },

  /** An attempt of a call is made of its options. */
  builds(group: CallGroup, request: unknown): void {
    if (isObject(request)) byRequest.set(request, group);
  },

  /** The call of a client that works with these: the options of one, or what an attempt gives to `fetch`. */
  of(client: object, ...known: unknown[]): CallGroup | undefined {
    const group = (isStored ? storage.getStore() : undefined) ?? linked(known);
    return group?.client === client ? group : undefined;
  },

  /** A call was answered, and nothing is known of its attempts: something makes them in a way of its own. */
  lost(): void {
    isStored = true;
  },
};

function linked(known: readonly unknown[]): CallGroup | undefined {
  for (const one of known) {
    if (!isObject(one)) continue;
    const group = byOptions.get(one) ?? byRequest.get(one);
    if (typeof group === 'object') return group;
  }
  return undefined;
}
