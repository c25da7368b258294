import {
  type AdapterHost,
  besideShared,
  CountedUses,
  checkOptions,
  followHttpAttempts,
  Guard,
  type Scope,
  ScopeEntry,
  type ScopeStore,
  scopesOf,
  sharedObserver,
} from '@hermes-observer/adapter';
import { newId } from '@hermes-observer/core';
import { listen, type RunListener } from './context/storage.js';
import type { Fields } from './framework/fields.js';
import { KNOWN_OPTIONS, type LangChainOptions } from './options.js';
import { handlerOf, type ObserverHandler } from './tracing/handler.js';
import { LangChainTracing } from './tracing/tracing.js';

const instrumentations = new WeakMap<AdapterHost, Instrumentation>();
const ofAll = new CountedUses<Instrumentation>();

/**
 * Observes each run of LangChain and LangGraph in this process, from now on, whichever copies of `@langchain/core` run it;
 * none is loaded. Again with the same observer it does nothing more, and the options of the first time count. Returns the
 * function that ends it, with the last one of those that the same observer has; runs under way are then told of no further.
 *
 * @throws ObserverError for a wrong option, or where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentLangChain(options: LangChainOptions = {}): () => void {
  return instrumentationOf('instrumentLangChain', options).observeAll();
}

/**
 * A callback handler that observes the runs it is told to: `agent.invoke(input, { callbacks: [observerHandler()] })`, all below
 * them included. Together with `instrumentLangChain` nothing is observed twice.
 *
 * @throws ObserverError for a wrong option, or where no `observer` is given and the environment has a wrong setting.
 */
export function observerHandler(options: LangChainOptions = {}): ObserverHandler {
  return instrumentationOf('observerHandler', options).observeSome();
}

function instrumentationOf(called: string, options: LangChainOptions): Instrumentation {
  checkOptions(called, options, KNOWN_OPTIONS);
  const host = options.observer ?? sharedObserver();
  const known = instrumentations.get(host);
  if (known !== undefined) return known;
  const made = new Instrumentation(host, options);
  instrumentations.set(host, made);
  return made;
}

/** How runs are observed for one observer. */
class Instrumentation implements RunListener {
  /** LangChain tells handlers apart by their names. */
  readonly name = newId('hermes_observer_');
  /** Of all runs. */
  handler: ObserverHandler | undefined;
  readonly #handler: ObserverHandler;
  readonly #tracing: LangChainTracing;
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #scopes: ScopeStore;
  readonly #entry: ScopeEntry;
  #next: Scope | undefined;
  #stop: (() => void) | undefined;
  #isOfSome = false;

  constructor(host: AdapterHost, options: LangChainOptions) {
    this.#host = host;
    this.#guard = new Guard('@hermes-observer/langchain', options.onWarning);
    this.#scopes = scopesOf(host, this.#guard);
    this.#entry = new ScopeEntry(this.#scopes);
    this.#tracing = new LangChainTracing(host, this.#guard, options, this.#scopes);
    this.#handler = handlerOf(this.name, this.#tracing, this.#guard, (scope) => {
      this.#next = scope;
    });
  }

  observeAll(): () => void {
    return ofAll.begin(this, () => {
      this.handler = this.#handler;
      this.#open();
      return () => {
        this.handler = undefined;
        if (!this.#isOfSome) this.#close();
      };
    });
  }

  observeSome(): ObserverHandler {
    this.#isOfSome = true;
    this.#open();
    return this.#handler;
  }

  within<T>(runId: string, config: Fields, fn: () => T): T {
    const scope = this.#guard.safely(() => this.#tracing.within(runId, config));
    return this.#scopes.run(scope, fn);
  }

  entered(): void {
    const scope = this.#next;
    this.#next = undefined;
    if (scope !== undefined) this.#guard.safely(() => this.#entry.enter(scope));
  }

  #open(): void {
    if (this.#stop !== undefined) return;
    this.#tracing.isOn = true;
    const ends = [
      besideShared('langchain', this.#host, this.#guard),
      listen(this),
      followHttpAttempts(this.#scopes, this.#guard, (request) => this.#tracing.owns(request)),
    ];
    this.#stop = () => {
      for (const end of ends) end();
    };
  }

  #close(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#tracing.isOn = false;
  }
}
