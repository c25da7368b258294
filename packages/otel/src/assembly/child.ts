import type { HookMeta, Payload } from '@hermes-observer/core';
import { closeInvocation, closeSubtree, keepNone } from './closing.js';
import { text } from './fields.js';
import { Invocation } from './invocation.js';
import { openOf } from './keyed-spans.js';
import { loneStart } from './lone-start.js';
import { onlyContainer, openContainer } from './owner.js';
import { ChildNode, type SpanNode } from './span-node.js';
import type { AssemblyState } from './state.js';
import { CLAUDE_AGENTS, DELEGATE_TASK } from './tool-names.js';

const FAILED: ReadonlySet<unknown> = new Set(['failed', 'error', 'timeout']);

/** Opens a child's span: below `parent`, or as a root that links to the parent session's last user turn. */
function openChild(
  state: AssemblyState,
  payload: Payload,
  meta: HookMeta,
  start: HookMeta['time'],
  parent: { readonly invocation: Invocation; readonly node: SpanNode } | undefined,
): Invocation {
  const session = text(payload.child_session_id);
  const agent = text(payload.child_subagent_id);
  const parentSession = text(payload.parent_session_id);
  const producer = meta.producer ?? '';
  const id = session ?? agent ?? '';
  const trace = parent?.invocation.trace ?? state.newTrace(`child\0${id}`, producer, meta.time, undefined);
  const child = new Invocation('child', id, trace, producer, meta.time);
  child.profile = meta.profile;
  if (session !== undefined) child.sessions = [...child.sessions, session];
  const node = new ChildNode(child, parent?.node, start, session ?? parentSession, parent?.node.turnId, 0);
  node.agentId = agent;
  node.role = text(payload.child_role);
  node.parentSession = parentSession;
  node.parentTurn = text(payload.parent_turn_id);
  if (parent === undefined) {
    const last = state.sessions.find(parentSession)?.lastUserTurn?.node;
    if (last !== undefined) node.link = { to: last, relation: 'parent_session' };
  }
  node.startMissing = start !== meta.time;
  child.node = node;
  state.invocations.addChild(session, agent, child);
  state.open(node, payload);
  if (parent !== undefined) {
    parent.invocation.openChildren++;
    if (trace.invocations.size > state.limits.maxOpenChildrenPerTrace + 1) closeOldestChild(state, child);
  }
  return child;
}

function closeOldestChild(state: AssemblyState, newest: Invocation): void {
  for (const oldest of newest.trace.invocations) {
    const { node } = oldest;
    if (oldest === newest || node?.kind !== 'child' || node.parent === undefined || oldest.closedAt !== undefined)
      continue;
    state.stats.closedBySpanLimit++;
    node.incomplete = 'idle_timeout';
    closeInvocation(state, oldest, oldest.last, 'idle_timeout', undefined, keepNone);
    return;
  }
}

/** A child by its session; by its agent only where that is all there is. */
const knownChild = (state: AssemblyState, session: string | undefined, agent: string | undefined) =>
  state.invocations.child(session, session === undefined ? agent : undefined);

export function onChildStart(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const session = text(payload.child_session_id);
  const agent = text(payload.child_subagent_id);
  if (session === undefined && agent === undefined) return;
  // Known already, or a session that has turns of its own: then it is nobody's child.
  if (knownChild(state, session, agent) !== undefined || state.sessions.find(session)?.hadTurns === true) return;
  // The parent must be known by its turn; a guess by session would be worse than a link.
  const parent = state.invocations.byTurn(text(payload.parent_turn_id));
  if (parent?.node === undefined) {
    openChild(state, payload, meta, meta.time, undefined);
    return;
  }
  parent.touch(meta.time);
  parent.revive();
  const callId = text(payload.parent_tool_call_id);
  const named = callId === undefined ? undefined : openOf(parent.scope(undefined).tools?.find(callId));
  const delegation = openContainer(parent, DELEGATE_TASK) ?? onlyContainer(parent, CLAUDE_AGENTS);
  const node = named ?? delegation ?? parent.node;
  openChild(state, payload, meta, meta.time, { invocation: parent, node });
}

export function onChildStop(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const session = text(payload.child_session_id);
  let child = knownChild(state, session, text(payload.child_subagent_id));
  if (child === undefined) {
    // A stop alone names the parent's turn of that moment, which need not be the one that asked: a root, then.
    if (session === undefined || state.sessions.find(session)?.hadTurns === true) return;
    child = openChild(state, payload, meta, loneStart(meta.hook, payload, meta.time) ?? meta.time, undefined);
  }
  const { node } = child;
  if (node?.kind !== 'child' || child.closedAt !== undefined) return;
  child.touch(meta.time);
  node.status = text(payload.child_status);
  if (FAILED.has(node.status)) node.errorType = node.status;
  // Stops of a batch come together when the last child is done; each child's own end is the better one.
  const done = child.lastTurnEnd !== undefined && (child.runningTurns?.size ?? 0) === 0;
  closeSubtree(state, child, done && child.lastTurnEnd !== undefined ? child.lastTurnEnd : meta.time, payload);
}
