import type { HookMeta, HrTime, Payload } from '@hermes-observer/core';
import { closeTurn } from './closing.js';
import { text } from './fields.js';
import { Invocation } from './invocation.js';
import { loneStart } from './lone-start.js';
import { TurnNode } from './span-node.js';
import type { AssemblyState } from './state.js';

/** Sessions one turn may go through and be found by. */
const MOST_SESSIONS = 64;

/** Opens the turn of an unseen turn id. */
export function openTurn(state: AssemblyState, turnId: string, payload: Payload, meta: HookMeta): Invocation {
  const session = text(payload.session_id);
  const task = text(payload.task_id);
  const announced = meta.hook === 'pre_llm_call';
  const known = state.sessions.find(session);
  const previous = known?.lastUserTurn;
  // A turn whose first record is the end of something began no later than that something.
  const start: HrTime = loneStart(meta.hook, payload, meta.time) ?? meta.time;

  const producer = meta.producer ?? '';
  const caller = meta.traceContext ?? state.ownCaller;
  state.ownCaller = undefined;
  const trace = state.newTrace(`turn\0${turnId}`, producer, meta.time, caller);
  const turn = new Invocation('turn', turnId, trace, producer, meta.time);
  if (announced && session !== undefined && text(payload.parent_session_id) === session) {
    turn.turnKind = 'background_review';
  } else if (!announced && previous?.task !== undefined && task !== undefined && task !== previous.task) {
    turn.turnKind = 'background';
  } else {
    for (const other of known?.open ?? []) if (other.turnKind === 'user') other.waits ??= 'next_turn';
  }
  turn.profile = meta.profile;
  state.invocations.addTurn(turnId, turn);

  const node = new TurnNode(turn, undefined, start, session, turnId, 0);
  node.turnKind = turn.turnKind;
  node.startMissing = start !== meta.time;
  if (previous?.node !== undefined) {
    node.link = { to: previous.node, relation: turn.turnKind === 'user' ? 'previous_turn' : 'session_turn' };
  }
  turn.node = node;
  joinSession(state, turn, payload, session);
  state.open(node, payload);
  return turn;
}

/** A turn belongs to every session its records carry: some agents change the session inside a turn. */
export function joinSession(state: AssemblyState, owner: Invocation, payload: Payload, id: string | undefined): void {
  if (owner.task === undefined) {
    const task = text(payload.task_id);
    if (task !== undefined) {
      owner.task = task;
      if (owner.kind === 'turn' && owner.closedAt === undefined) state.invocations.addTask(task, owner);
    }
  }
  if (id === undefined || id === owner.sessions[0] || owner.kind !== 'turn' || owner.sessions.includes(id)) return;
  if (owner.sessions.length >= MOST_SESSIONS) return;
  owner.sessions = [...owner.sessions, id];
  const session = state.sessions.get(id);
  session.hadTurns = true;
  if (owner.turnKind === 'user') session.lastUserTurn = owner;
  if (owner.closedAt !== undefined) return;
  session.open.push(owner);
  if (session.open.length > state.limits.maxOpenTurnsPerSession) {
    const oldest = session.open[0];
    if (oldest === undefined) return;
    state.stats.closedBySessionLimit++;
    closeTurn(state, oldest, 'next_turn');
  }
}
