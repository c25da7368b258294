import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope, ScopeStore } from './scope.js';

/** After so many times the storages are looked for anew: the program may have started an OpenTelemetry SDK since. */
const LOOK_AGAIN = 1024;

/**
 * Enters a scope for the rest of the asynchronous function that calls it, where there is no function to run in the scope: some
 * frameworks call models and tools right after their handlers, from a function of their own. All storages are entered that
 * running code in the scope enters: whose code runs, the span of the observer, the context of the OpenTelemetry API.
 */
export class ScopeEntry {
  readonly #scopes: ScopeStore;
  #storages: AsyncLocalStorage<unknown>[] = [];
  #entered = 0;

  constructor(scopes: ScopeStore) {
    this.#scopes = scopes;
    scopes.prepare();
  }

  enter(scope: Scope): void {
    const count = this.#entered++;
    if ((count & (count - 1)) === 0 || count % LOOK_AGAIN === 0) this.#storages = storagesOf(this.#scopes, scope);
    const storages = this.#storages;
    const stores = this.#scopes.run(scope, () => storages.map((storage) => storage.getStore()));
    storages.forEach((storage, i) => void storage.enterWith(stores[i]));
  }
}

/** The storages that code in a scope runs in. */
function storagesOf(scopes: ScopeStore, scope: Scope): AsyncLocalStorage<unknown>[] {
  const { prototype } = AsyncLocalStorage<unknown>;
  const original = Object.getOwnPropertyDescriptor(prototype, 'run') as PropertyDescriptor;
  const found = new Set<AsyncLocalStorage<unknown>>();
  const run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
    found.add(this);
    return Reflect.apply(original.value, this, args);
  };
  try {
    Object.defineProperty(prototype, 'run', { ...original, value: run });
    scopes.run(scope, () => {});
  } finally {
    Object.defineProperty(prototype, 'run', original);
  }
  return [...found];
}
