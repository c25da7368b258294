import { AsyncLocalStorage } from 'node:async_hooks';
import type { Guard } from '../guard.js';
import type { AdapterHost } from '../host.js';
import type { AdapterRequest } from './request.js';
import type { AdapterTool } from './tool.js';
import type { AdapterTurn } from './turn.js';

/** Whose code runs: a turn's, and in it a request's or a tool's. */
export interface Scope {
  readonly turn: AdapterTurn;
  readonly request?: AdapterRequest | undefined;
  readonly tool?: AdapterTool | undefined;
}

/**
 * Knows whose code runs. A storage like any other, so that a `TracingChannel` can bind it; who runs in a scope of it has
 * the scope's span as the active one as well.
 */
export class ScopeStore extends AsyncLocalStorage<Scope | undefined> {
  readonly #host: AdapterHost;
  readonly #guard: Guard;

  constructor(host: AdapterHost, guard: Guard) {
    super();
    this.#host = host;
    this.#guard = guard;
  }

  override run<R>(scope: Scope | undefined, fn: () => R): R;
  override run<R, Args extends unknown[]>(scope: Scope | undefined, fn: (...args: Args) => R, ...args: Args): R;
  override run<R>(scope: Scope | undefined, fn: (...args: unknown[]) => R, ...args: unknown[]): R {
    // What is entered already is not entered again.
    if (scope === undefined || scope === this.getStore()) return fn(...args);
    let isCalled = false;
    const once = (): R => {
      isCalled = true;
      return fn(...args);
    };
    try {
      return super.run(scope, () => this.#host.run(idsOf(scope), once));
    } catch (error) {
      if (isCalled) throw error;
      this.#guard.note(error);
      return super.run(scope, once);
    }
  }
}

const idsOf = ({ turn, request, tool }: Scope) => ({
  turnId: turn.turnId,
  toolCallId: tool?.callId,
  requestId: request?.id,
});

/** By host, and of all adapters: a tool of one framework may run an agent of another. */
const STORES = Symbol.for('hermes.observer.adapter.scopes.1');

const place = globalThis as { [STORES]?: WeakMap<AdapterHost, ScopeStore> };

export function scopesOf(host: AdapterHost, guard: Guard): ScopeStore {
  place[STORES] ??= new WeakMap();
  const known = place[STORES].get(host);
  if (known !== undefined) return known;
  const store = new ScopeStore(host, guard);
  place[STORES].set(host, store);
  return store;
}
