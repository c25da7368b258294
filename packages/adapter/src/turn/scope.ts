import type { AdapterScope } from '@hermes-observer/otel';
import type { Guard } from '../guard.js';
import type { AdapterHost } from '../host.js';
import { hasMethods, processWide } from '../process-wide.js';
import type { AdapterRequest } from './request.js';
import type { AdapterTool } from './tool.js';
import type { AdapterTurn } from './turn.js';

/** Whose code runs: a turn's, and in it a request's or a tool's. */
export interface Scope {
  readonly turn: AdapterTurn;
  readonly request?: AdapterRequest | undefined;
  readonly tool?: AdapterTool | undefined;
}

/** A scope that was entered, as the observer keeps it. */
class EnteredScope implements AdapterScope {
  readonly host: AdapterHost;
  readonly scope: Scope;
  /** Of another observer, which hears of the same agent. */
  readonly outer: EnteredScope | undefined;
  #context: AdapterScope['context'];
  #isFound = false;

  constructor(host: AdapterHost, scope: Scope, outer: EnteredScope | undefined) {
    this.host = host;
    this.scope = scope;
    this.outer = outer;
  }

  get context(): AdapterScope['context'] {
    if (!this.#isFound) {
      this.#isFound = true;
      const { turn, request, tool } = this.scope;
      const ids = { turnId: turn.turnId, toolCallId: tool?.callId, requestId: request?.id };
      this.#context = turn.guard.safely(() => this.host.contextOf(ids));
    }
    return this.#context;
  }
}

/**
 * Knows whose code runs. `TracingChannel` takes it for a storage and can bind it; who runs in a scope of it has the scope's
 * span as the active one as well.
 */
export class ScopeStore {
  readonly #host: AdapterHost;
  readonly #guard: Guard;

  constructor(host: AdapterHost, guard: Guard) {
    this.#host = host;
    this.#guard = guard;
  }

  /**
   * Has Node.js keep account of whose code runs from now on. Before 24 it begins with the first use of a storage; what is entered
   * in a function that was called before that would stay entered everywhere.
   */
  prepare(): void {
    this.#guard.safely(() => this.#host.run({ context: undefined }, () => {}));
  }

  getStore(): Scope | undefined {
    return this.#own(this.#around())?.scope;
  }

  run<R, Args extends unknown[]>(scope: Scope | undefined, fn: (...args: Args) => R, ...args: Args): R {
    return this.#run(scope, false, fn, args);
  }

  /**
   * As `run`, but on Node.js before 24 the scope may end with the first `await` in `fn`. It does where the program has entered no
   * other and registered no context manager: to keep account of it for longer would make each of its promises dearer.
   */
  runBriefly<R>(scope: Scope, fn: () => R): R {
    return this.#run(scope, true, fn, []);
  }

  #run<R, Args extends unknown[]>(scope: Scope | undefined, isBrief: boolean, fn: (...args: Args) => R, args: Args): R {
    const around = this.#around();
    const own = this.#own(around);
    // What is entered already is not entered again.
    if (scope === undefined || (scope === own?.scope && own === around)) return fn(...args);
    let isCalled = false;
    let given: { readonly value: R } | undefined;
    const once = (): R => {
      isCalled = true;
      const value = fn(...args);
      given = { value };
      return value;
    };
    try {
      const entered = new EnteredScope(this.#host, scope, around === own ? own?.outer : around);
      this.#host.run(entered, once, isBrief);
    } catch (error) {
      if (isCalled && given === undefined) throw error;
      this.#guard.note(error);
    }
    // Whatever the observer does: the function is called once, and its value is the program's.
    return given === undefined ? once() : given.value;
  }

  #around(): EnteredScope | undefined {
    try {
      const { scope } = this.#host;
      // By its structure: there may be several copies of this package.
      return scope !== undefined && 'scope' in scope ? (scope as EnteredScope) : undefined;
    } catch (error) {
      this.#guard.note(error);
      return undefined;
    }
  }

  #own(around: EnteredScope | undefined): EnteredScope | undefined {
    for (let entered = around; entered !== undefined; entered = entered.outer)
      if (entered.host === this.#host) return entered;
    return undefined;
  }
}

/** The turn that another observer knows the code to run in: it hears of the same agent. */
export function turnOfOther(host: AdapterHost): AdapterTurn | undefined {
  const { scope } = host;
  if (scope === undefined || !('scope' in scope)) return undefined;
  const entered = scope as EnteredScope;
  return entered.host === host ? undefined : entered.scope.turn;
}

/** By host, and of all adapters: a tool of one framework may run an agent of another. */
const STORES = Symbol.for('hermes.observer.adapter.scopes.1');

const stores = (): WeakMap<AdapterHost, ScopeStore> =>
  processWide(STORES, hasMethods('get', 'set'), () => new WeakMap());

export function scopesOf(host: AdapterHost, guard: Guard): ScopeStore {
  const known = stores().get(host);
  if (known !== undefined) return known;
  const store = new ScopeStore(host, guard);
  stores().set(host, store);
  return store;
}
