// LangChain and LangSmith keep one `AsyncLocalStorage` for all their copies in a process, under a global symbol. It has what
// says which handlers each run gets, and each run's code is run in it.
import { hasMethods, processWide } from '@hermes-observer/adapter';
import { type Fields, fieldsOf } from '../framework/fields.js';

const STORAGE = Symbol.for('ls:tracing_async_local_storage');
const VARIABLES = Symbol.for('lc:context_variables');
const CHILD_CONFIG = Symbol.for('lc:child_config');
/** Description of the symbol, one a copy, under which the hooks stand that say whose handlers all runs get. */
const HOOKS = 'lc:configure_hooks';

/** Wants to know of the runs of this process. Its methods may not throw. */
export interface RunListener {
  /** Names its handler among the variables of LangChain. */
  readonly name: string;
  /** The handler that all runs get; `undefined` where each call is told of it. */
  readonly handler: object | undefined;
  /** Code of a run is about to run, with the configuration that it hands on: what it runs in. */
  within<T>(runId: string, config: Fields, fn: () => T): T;
  /** Code was told that runs on by itself: the code behind it runs in what started now, if something did. */
  entered(): void;
}

interface Storage {
  getStore(): unknown;
  run(store: unknown, fn: (...args: unknown[]) => unknown, ...args: unknown[]): unknown;
}

interface Place {
  listeners: readonly RunListener[];
  /** Hooks that have each run look for the handlers of these listeners. */
  hooks: readonly Fields[];
  readonly watched: WeakSet<object>;
  isPlaced: boolean;
}

/** One for the process: a program may load this package twice. */
const PLACE = Symbol.for('hermes.observer.langchain.1');
const global = globalThis as { [STORAGE]?: unknown };

const isPlace = (value: unknown): boolean =>
  Array.isArray((value as Place).listeners) &&
  Array.isArray((value as Place).hooks) &&
  hasMethods('has', 'add')((value as Place).watched);
const isStorage = hasMethods('getStore', 'run');

const place = (): Place =>
  processWide(PLACE, isPlace, () => ({ listeners: [], hooks: [], watched: new WeakSet(), isPlaced: false }));

/** Has `listener` told of runs from now on. Returns what ends that. */
export function listen(listener: RunListener): () => void {
  const all = place();
  const set = (listeners: readonly RunListener[]) => {
    all.listeners = listeners;
    all.hooks = listeners.map(({ name }) => ({ contextVar: name, inheritable: true }));
  };
  set([...all.listeners, listener]);
  watchGlobal(all);
  return () => set(all.listeners.filter((one) => one !== listener));
}

function watchGlobal(all: Place): void {
  if (all.isPlaced) return;
  all.isPlaced = true;
  const known = global[STORAGE];
  if (known !== undefined) {
    watch(all, known);
    return;
  }
  const guest = guestOf(all);
  Object.defineProperty(globalThis, STORAGE, {
    configurable: true,
    enumerable: true,
    // Whoever wants to set the real one is told that there is none.
    get: () => (all.listeners.length === 0 || isInitializing() ? undefined : guest),
    set: (storage: unknown) => {
      Object.defineProperty(globalThis, STORAGE, {
        configurable: true,
        enumerable: true,
        writable: true,
        value: storage,
      });
      watch(all, storage);
    },
  });
}

/**
 * Whether LangChain asks in order to put its storage there: `initializeGlobalInstance` does. Programs may have stacks made as
 * they like; where it cannot be known, it does: a guest in the storage's place would break LangGraph.
 */
function isInitializing(): boolean {
  const { stackTraceLimit } = Error;
  const ownFormat = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    Error.stackTraceLimit = 4;
    Object.defineProperty(Error, 'prepareStackTrace', { value: undefined, configurable: true, writable: true });
    const { stack } = new Error();
    return typeof stack !== 'string' || stack.includes('initializeGlobalInstance');
  } catch {
    return true;
  } finally {
    try {
      if (ownFormat === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
      else Object.defineProperty(Error, 'prepareStackTrace', ownFormat);
      Error.stackTraceLimit = stackTraceLimit;
    } catch {
      // Where they cannot be set, they were not set above either.
    }
  }
}

/**
 * Stands in as long as the program has loaded nothing that brings a storage (`@langchain/core` alone does not). As without
 * one, no run hands its configuration on to the runs in its code.
 */
function guestOf(all: Place): Storage & { enterWith(): void } {
  const root = { [VARIABLES]: variablesOf(all, {}) };
  return {
    getStore: () => (all.listeners.length === 0 ? undefined : root),
    run: (store, fn, ...args) => runIn(all, store, () => fn(...args)),
    enterWith: () => {},
  };
}

/** Has `storage` hand runs to the listeners, if it is one. Never throws: the program may be what sets it. */
function watch(all: Place, storage: unknown): void {
  try {
    if (typeof storage !== 'object' || storage === null || !isStorage(storage) || all.watched.has(storage)) return;
    all.watched.add(storage);
    handOver(all, storage as Storage);
  } catch {
    // One that cannot be changed stays as it is.
  }
}

function handOver(all: Place, storage: Storage): void {
  const getStore = storage.getStore.bind(storage);
  const run = storage.run.bind(storage);
  const root = { [VARIABLES]: variablesOf(all, {}) };
  const ours = new WeakSet<object>([root[VARIABLES]]);
  const define = (name: string, value: unknown) =>
    Object.defineProperty(storage, name, { value, configurable: true, writable: true });
  define('getStore', () => {
    const store = getStore();
    if (all.listeners.length === 0) return store;
    if (store === undefined) return root;
    try {
      const fields = store as { [VARIABLES]?: object };
      const variables = fields[VARIABLES];
      if (variables === undefined) fields[VARIABLES] = root[VARIABLES];
      else if (!ours.has(variables)) {
        fields[VARIABLES] = variablesOf(all, variables);
        ours.add(fields[VARIABLES]);
      }
    } catch {
      // One that cannot be added to stays as it is.
    }
    return store;
  });
  define('run', (store: unknown, fn: (...args: unknown[]) => unknown, ...args: unknown[]) =>
    all.listeners.length === 0 ? run(store, fn, ...args) : runIn(all, store, () => run(store, fn, ...args)),
  );
}

function runIn(all: Place, store: unknown, fn: () => unknown): unknown {
  if (store === undefined) {
    // A handler is told of something; ours may have been.
    const result = fn();
    for (const listener of all.listeners) listener.entered();
    return result;
  }
  const config = fieldsOf((fieldsOf(fieldsOf(store).extra) as Record<symbol, unknown>)[CHILD_CONFIG]);
  const { _parentRunId: runId } = fieldsOf(config.callbacks);
  if (typeof runId !== 'string') return fn();
  const [first, ...others] = all.listeners;
  let call = fn;
  for (const listener of others) {
    const inner = call;
    call = () => listener.within(runId, config, inner);
  }
  return first === undefined ? call() : first.within(runId, config, call);
}

/** The variables of LangChain with our handlers among them, and the hooks that have each run look for those. */
function variablesOf(all: Place, own: object): object {
  return new Proxy(own, {
    get: (target, key) => {
      const value = (target as Record<string | symbol, unknown>)[key];
      if (typeof key === 'symbol') return key.description === HOOKS ? hooksWith(all, value) : value;
      if (value !== undefined) return value;
      for (const listener of all.listeners) if (listener.name === key) return listener.handler;
      return undefined;
    },
  });
}

function hooksWith({ hooks }: Place, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) return hooks;
  // The program registers one: it keeps ours among its own.
  const own = value as Fields[];
  return [...own, ...hooks.filter(({ contextVar }) => !own.some((hook) => hook.contextVar === contextVar))];
}
