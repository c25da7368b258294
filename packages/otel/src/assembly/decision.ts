import type { HookMeta, Payload } from '@hermes-observer/core';
import { closeTrace, closeTurn } from './closing.js';
import { text } from './fields.js';
import type { IncompleteReason } from './span-node.js';
import type { AssemblyState } from './state.js';
import type { Trace } from './trace.js';
import { joinSession } from './turn-open.js';

const REASONS: ReadonlySet<unknown> = new Set<IncompleteReason>([
  'turn_ended',
  'next_request',
  'next_turn',
  'session_finalized',
  'subagent_stopped',
  'idle_timeout',
  'shutdown',
  'producer_lost',
]);

/** `observer_closed`: a decision of the clock, recorded so that a replay decides the same. */
export function onClockDecision(state: AssemblyState, payload: Payload): void {
  const key = text(payload.key);
  const reason = REASONS.has(payload.reason) ? (payload.reason as IncompleteReason) : 'shutdown';
  if (payload.scope === 'turn') {
    const turn = state.invocations.byTurn(key);
    if (turn === undefined) return;
    state.watch.trace ??= turn.trace;
    closeTurn(state, turn, reason);
  } else if (payload.scope === 'trace') {
    const root = state.invocations.byTurn(key) ?? state.invocations.child(key, undefined);
    if (root === undefined) closeTraces(state, reason, (trace) => trace.source === key);
    else closeTrace(state, root.trace, reason);
  } else if (payload.scope === 'producer') closeTraces(state, reason, (trace) => trace.producer === key);
  else if (payload.scope === 'all') closeTraces(state, reason, () => true);
}

/** Closes open traces in the order they began. */
export function closeTraces(state: AssemblyState, reason: IncompleteReason, test: (trace: Trace) => boolean): void {
  for (const trace of [...state.openTraces]) if (test(trace)) closeTrace(state, trace, reason);
}

/** A hook that makes no span still shows that its turn is alive. */
export function onOther(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const owner = state.invocations.byTurn(text(payload.turn_id));
  if (owner === undefined) return;
  joinSession(state, owner, payload, text(payload.session_id));
  owner.touch(meta.time);
  if (owner.diedOf !== undefined && !meta.hook.startsWith('transform_')) owner.revive();
}
