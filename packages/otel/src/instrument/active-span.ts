import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '@opentelemetry/api';
import { getBaggage, setBaggage } from '../api/baggage.js';
import { active, hasManager, run } from '../api/context.js';
import { getSpan, setSpan } from '../api/trace.js';
import type { ActiveIds } from './host.js';
import type { TurnState } from './turn-state.js';

/** Whose code runs: a turn's, and in it a tool's. */
interface Scope {
  /** Absent where someone else keeps account of turns. */
  readonly turn: TurnState | undefined;
  readonly toolCallId: string | undefined;
  readonly context: Context | undefined;
}

/** Whose code runs, by an adapter's own account. */
export interface AdapterScope {
  /** Has its span. Asked for when someone wants to know: mostly nobody does. May not throw. */
  readonly context: Context | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Before Node.js 24 a storage makes each promise of the process dearer from its first use on. */
let isKept = Number.parseInt(process.versions.node, 10) >= 24;

/** Whose code runs until it first awaits, where the storage was never used. */
let brief: AdapterScope | undefined;

/** Has `fn` run in a scope of the storage, and in no brief one around it. */
function enter<T>(scope: Scope, fn: () => T): T {
  const around = brief;
  isKept = true;
  brief = undefined;
  try {
    return scopes.run(scope, fn);
  } finally {
    brief = around;
  }
}

/** The tool call of this turn that the calling code runs in, if any. */
export function enclosingTool(turn: TurnState): string | undefined {
  const scope = scopes.getStore();
  return scope?.turn === turn ? scope.toolCallId : undefined;
}

/** The context of the code that runs; without a context manager the one of the turn, tool or request that it is in. */
export const activeContext = (): Context => {
  const context = active();
  return getSpan(context) === undefined ? (currentScope()?.context ?? context) : context;
};

/** A span as the active one: code run here has it in `trace.getActiveSpan()`, and spans of other libraries hang below. */
export class ActiveSpan {
  readonly #scope: Scope;
  /** To be made once the hook that starts the span was emitted. */
  constructor(turn: TurnState, ids: Omit<ActiveIds, 'turnId'> = {}) {
    this.#scope = { turn, toolCallId: ids.toolCallId ?? enclosingTool(turn), context: contextOf(turn, ids) };
  }

  /** Calls `fn` at once. What the application had in its context, baggage and keys of its own, stays. */
  run<T>(fn: () => T): T {
    const own = this.#scope.context;
    return enter(this.#scope, own === undefined ? fn : () => run(withSpanOf(own), fn));
  }
}

/** The context of a scope in the one around it. */
class LateContext implements Context {
  readonly #around = active();
  readonly #scope: AdapterScope;
  #made: Context | undefined;

  constructor(scope: AdapterScope) {
    this.#scope = scope;
  }

  get #context(): Context {
    const own = this.#scope.context;
    this.#made ??= own === undefined ? this.#around : withSpanOf(own, this.#around);
    return this.#made;
  }

  getValue(key: symbol): unknown {
    return this.#context.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return this.#context.setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return this.#context.deleteValue(key);
  }
}

/** Calls `fn` at once in a scope, with its span as the active one: where that is dear, and `isBrief`, until it first awaits. */
export function runIn<T>(scope: AdapterScope, fn: () => T, isBrief?: boolean): T {
  if (hasManager()) return enter(scope as Scope, () => run(new LateContext(scope), fn));
  if (isKept || isBrief !== true) return enter(scope as Scope, fn);
  const around = brief;
  brief = scope;
  try {
    return fn();
  } finally {
    brief = around;
  }
}

/** The scope the code runs in, whoever entered it. */
export const currentScope = (): AdapterScope | undefined => brief ?? scopes.getStore();

function contextOf(turn: TurnState, ids: Omit<ActiveIds, 'turnId'>): Context | undefined {
  try {
    return turn.host.contextOf({ turnId: turn.turnId, ...ids });
  } catch {
    return undefined;
  }
}

function withSpanOf(own: Context, around = active()): Context {
  const span = getSpan(own);
  const below = span === undefined ? around : setSpan(around, span);
  if (getBaggage(around) !== undefined) return below;
  const baggage = getBaggage(own);
  return baggage === undefined ? below : setBaggage(below, baggage);
}
