import type { HookMeta, Payload } from '@hermes-observer/core';
import { closeInvocation, closeSpans } from './closing.js';
import { text } from './fields.js';
import { MOST_TURNS_OF_CHILD } from './invocation.js';
import { ownerOf } from './owner.js';
import type { TurnOutcome } from './span-node.js';
import type { AssemblyState } from './state.js';

export function onPreLlmCall(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  if (turnId === undefined) return;
  const seen = state.invocations.byTurn(turnId) !== undefined;
  const owner = ownerOf(state, payload, meta, turnId, text(payload.session_id), true);
  if (!owner?.node || owner.closedAt !== undefined) return;
  if (owner.kind === 'child') {
    owner.scope(turnId);
    owner.runningTurns ??= new Set();
    if (owner.runningTurns.size < MOST_TURNS_OF_CHILD) owner.runningTurns.add(turnId);
    state.sink.update(owner.node, payload);
  } else if (seen) state.sink.update(owner.node, payload);
}

export function onPostLlmCall(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const owner = ownerOf(state, payload, meta, text(payload.turn_id), text(payload.session_id), false);
  if (!owner?.node || owner.closedAt !== undefined) return;
  state.sink.update(owner.node, payload);
  // Newer agents send no end of a review: its answer completes it.
  if (owner.turnKind === 'background_review' && owner.node.kind === 'turn') {
    owner.node.outcome = 'completed';
    closeInvocation(state, owner, meta.time, 'turn_ended', undefined);
  }
}

function outcomeOf(payload: Payload): TurnOutcome {
  if (payload.failed === true) return 'failed';
  if (payload.interrupted === true) return 'interrupted';
  return payload.completed === true ? 'completed' : 'incomplete';
}

/** `on_session_end` is the end of a turn, despite its name. Reduced shapes of it name only the session. */
export function onSessionEnd(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const session = text(payload.session_id);
  let owner = state.invocations.byTurn(turnId) ?? state.invocations.child(session, text(payload.task_id));
  if (owner === undefined && turnId === undefined)
    owner = state.sessions.find(session)?.runningTurn(meta.producer ?? '');
  if (owner === undefined) {
    state.stats.unmatchedTurnEnds++;
    return;
  }
  const { node } = owner;
  if (node === undefined || owner.closedAt !== undefined) return;
  owner.touch(meta.time);
  if (node.kind === 'child') {
    // The child may run another turn; its span ends when its stop is reported.
    owner.lastTurnEnd = meta.time;
    if (turnId !== undefined) owner.runningTurns?.delete(turnId);
    const ended = owner.scope(turnId);
    closeSpans(
      state,
      owner,
      meta.time,
      'turn_ended',
      (open) => open.kind === 'auxiliary' || (turnId !== undefined && open.turnId !== ended.id),
    );
    return;
  }
  node.outcome = outcomeOf(payload);
  node.exitReason = text(payload.turn_exit_reason) ?? text(payload.reason);
  if (node.outcome === 'failed') node.errorType = node.exitReason?.replace(/\(.*$/s, '') || '_OTHER';
  closeInvocation(state, owner, meta.time, 'turn_ended', payload);
}

/** `on_session_finalize` and `on_session_reset`: what closes the session's open turns if nothing more of them comes. */
export function onSessionBoundary(state: AssemblyState, payload: Payload): void {
  for (const id of [text(payload.session_id), text(payload.old_session_id)]) {
    for (const turn of state.sessions.find(id)?.open ?? []) {
      state.watch.trace ??= turn.trace;
      turn.waits ??= 'session_finalized';
    }
  }
}
