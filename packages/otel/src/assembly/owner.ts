import type { HookMeta, Payload } from '@hermes-observer/core';
import { text } from './fields.js';
import type { Invocation } from './invocation.js';
import type { ToolNode } from './span-node.js';
import type { AssemblyState } from './state.js';
import { EXECUTE_CODE } from './tool-names.js';
import { joinSession, openTurn } from './turn-open.js';

/** Takes ended calls off the end of a list. */
export function dropEnded(calls: ToolNode[]): void {
  while (calls.at(-1)?.end !== undefined) calls.pop();
}

/** The newest open call of a tool that other work runs inside. */
export function openContainer(invocation: Invocation, name: string): ToolNode | undefined {
  const { containers } = invocation;
  dropEnded(containers);
  for (let i = containers.length - 1; i >= 0; i--) {
    const node = containers[i];
    if (node !== undefined && node.end === undefined && node.name === name) return node;
  }
  return undefined;
}

/** The open call of such a tool, if there is one and no other. */
export function onlyContainer(invocation: Invocation, names: ReadonlySet<string | undefined>): ToolNode | undefined {
  dropEnded(invocation.containers);
  const open = invocation.containers.filter((node) => node.end === undefined && names.has(node.name));
  return open.length === 1 ? open[0] : undefined;
}

const runsCode = (turn: Invocation) => openContainer(turn, EXECUTE_CODE) !== undefined;

/**
 * Whose record this is: by turn id, by child session or task, by the session's running turn, by the task. A hook that
 * makes a span opens the turn it names when that is unseen; any other hook opens nothing.
 *
 * `undefined`: it names nobody we know. `null`: it must make nothing, since its turn is unseen and the hook opens none,
 * or was closed too long ago.
 */
export function ownerOf(
  state: AssemblyState,
  payload: Payload,
  meta: HookMeta,
  turnId: string | undefined,
  session: string | undefined,
  opens: boolean,
): Invocation | null | undefined {
  const { invocations } = state;
  let owner = invocations.byTurn(turnId);
  if (owner === undefined) {
    const task = text(payload.task_id);
    owner = invocations.child(session, task);
    // A session that was a child's once, long ago, and is now gone on with as one of its own.
    if (meta.hook === 'pre_llm_call' && owner?.closedAt !== undefined && !invocations.takesLate(owner, meta.time)) {
      owner = undefined;
    }
    if (owner !== undefined) {
      if (turnId !== undefined) invocations.addTurn(turnId, owner);
    } else if (turnId !== undefined) {
      return opens ? openTurn(state, turnId, payload, meta) : null;
    } else if (session !== undefined) owner = state.sessions.find(session)?.currentTurn();
    else if (task !== undefined) owner = invocations.byTask(task, runsCode);
  }
  if (owner === undefined) return undefined;
  joinSession(state, owner, payload, session);
  owner.touch(meta.time);
  if (owner.diedOf !== undefined && !meta.hook.startsWith('transform_')) owner.revive();
  if (owner.closedAt !== undefined && !invocations.takesLate(owner, meta.time)) {
    state.stats.tooLate++;
    return null;
  }
  return owner;
}
