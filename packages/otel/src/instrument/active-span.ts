import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '@opentelemetry/api';
import { getBaggage, setBaggage } from '../api/baggage.js';
import { active, run } from '../api/context.js';
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

const scopes = new AsyncLocalStorage<Scope>();

/** The tool call of this turn that the calling code runs in, if any. */
export function enclosingTool(turn: TurnState): string | undefined {
  const scope = scopes.getStore();
  return scope?.turn === turn ? scope.toolCallId : undefined;
}

/** The context of the code that runs; without a context manager the one of the turn, tool or request that it is in. */
export const activeContext = (): Context => {
  const context = active();
  return getSpan(context) === undefined ? (scopes.getStore()?.context ?? context) : context;
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
    if (own === undefined) return scopes.run(this.#scope, fn);
    return scopes.run(this.#scope, () => run(withSpanOf(own), fn));
  }
}

/** Calls `fn` at once, with the span of `own` as the active one. */
export function runIn<T>(own: Context | undefined, fn: () => T): T {
  if (own === undefined) return fn();
  const scope = { turn: undefined, toolCallId: undefined, context: own };
  return scopes.run(scope, () => run(withSpanOf(own), fn));
}

function contextOf(turn: TurnState, ids: Omit<ActiveIds, 'turnId'>): Context | undefined {
  try {
    return turn.host.contextOf({ turnId: turn.turnId, ...ids });
  } catch {
    return undefined;
  }
}

function withSpanOf(own: Context): Context {
  const span = getSpan(own);
  const around = active();
  const below = span === undefined ? around : setSpan(around, span);
  if (getBaggage(around) !== undefined) return below;
  const baggage = getBaggage(own);
  return baggage === undefined ? below : setBaggage(below, baggage);
}
