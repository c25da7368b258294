import type { HrTime, Payload } from '@hermes-observer/core';
import { laterOf } from '@hermes-observer/core';
import type { Invocation } from './invocation.js';
import type { AnyNode, IncompleteReason, RequestNode, SpanNode } from './span-node.js';
import type { AssemblyState } from './state.js';
import { endNestedCalls, endTool, forgetCode } from './tool-end.js';
import type { Trace } from './trace.js';

/** Ends a request that failed and was not tried again: at its last failure. */
export function endFailedRequest(state: AssemblyState, node: RequestNode): boolean {
  if (node.failure === undefined) return false;
  node.errorType = node.failure.type;
  state.end(node, node.failure.time, undefined);
  return true;
}

/** Ends a span whose end nobody reported, with the best that is known of it. */
export function cut(state: AssemblyState, node: AnyNode, time: HrTime, reason: IncompleteReason): void {
  if (node.kind === 'request' || node.kind === 'auxiliary') {
    if (endFailedRequest(state, node)) return;
  } else if (node.kind === 'tool') {
    if (node.transform !== undefined) {
      endTool(state, node, node.transform.time, node.transform.payload);
      return;
    }
    endNestedCalls(state, node);
    forgetCode(state, node);
  } else if (node.kind === 'approval') releaseApproval(state, node.invocation, node.session, time);
  else if (node.kind === 'human_input' && node.held && node.session !== undefined) {
    state.sessions.find(node.session)?.held.delete(node);
  }
  node.incomplete = reason;
  state.end(node, time, undefined);
}

/** An approval of these sessions is over. */
export function releaseApproval(
  state: AssemblyState,
  owner: Invocation,
  session: string | undefined,
  time: HrTime,
): void {
  for (const id of approvalSessions(owner, session)) {
    const known = state.sessions.find(id);
    if (known === undefined) continue;
    known.openApprovals = Math.max(0, known.openApprovals - 1);
    known.lastApprovalEnd = known.lastApprovalEnd === undefined ? time : laterOf(known.lastApprovalEnd, time);
  }
}

export function approvalSessions(owner: Invocation, session: string | undefined): readonly string[] {
  return session === undefined || owner.sessions.includes(session) ? owner.sessions : [...owner.sessions, session];
}

/** Ends the open spans of an invocation, newest first; its own span stays open, and so do those `keep` names. */
export function closeSpans(
  state: AssemblyState,
  invocation: Invocation,
  time: HrTime,
  reason: IncompleteReason,
  keep: (node: SpanNode) => boolean,
): void {
  let node = invocation.lastOpen;
  while (node !== undefined) {
    const before: SpanNode | undefined = node.before;
    if (node !== invocation.node && !keep(node)) cut(state, node as AnyNode, time, reason);
    // A cut may have ended spans before this one as well; those are newer than `before` or done.
    node = before?.end === undefined ? before : invocation.lastOpen;
  }
}

const keepAuxiliary = (node: SpanNode) => node.kind === 'auxiliary';
export const keepNone = () => false;

/** Ends a turn or child at a time, with all it still has open but auxiliary requests, which may outlive it. */
export function closeInvocation(
  state: AssemblyState,
  invocation: Invocation,
  time: HrTime,
  reason: IncompleteReason,
  payload: Payload | undefined,
  keep: (node: SpanNode) => boolean = keepAuxiliary,
): void {
  const { node } = invocation;
  if (node === undefined || invocation.closedAt !== undefined) return;
  closeSpans(state, invocation, time, reason, keep);
  invocation.closedAt = time;
  state.end(node, time, payload);
  if (node.parent !== undefined) {
    node.parent.invocation.openChildren--;
    node.parent = undefined;
  }
  for (const id of invocation.sessions) {
    const open = state.sessions.find(id)?.open;
    const at = open?.indexOf(invocation) ?? -1;
    if (at >= 0) open?.splice(at, 1);
  }
  state.invocations.retire(invocation, time);
}

/** Closes a turn that nothing ended. One whose last record is a failed request, with no tool running, has died of it. */
export function closeTurn(state: AssemblyState, turn: Invocation, reason: IncompleteReason, time = turn.last): void {
  const { node } = turn;
  if (node?.kind !== 'turn' || turn.closedAt !== undefined) return;
  node.incomplete = reason;
  if (turn.diedOf !== undefined && !hasRunningTool(turn)) {
    node.outcome = 'failed';
    node.errorType = turn.diedOf;
  }
  closeInvocation(state, turn, time, reason, undefined);
}

export function hasRunningTool(invocation: Invocation): boolean {
  for (let node = invocation.lastOpen; node !== undefined; node = node.before) {
    const open = node as AnyNode;
    if (open.kind === 'tool' && open.transform === undefined) return true;
  }
  return false;
}

/** Closes all that a trace has open, children before parents, at its last record. */
export function closeTrace(state: AssemblyState, trace: Trace, reason: IncompleteReason): void {
  state.watch.trace ??= trace;
  const { last } = trace;
  for (const invocation of [...trace.invocations].reverse()) {
    const { node, waits, closedAt } = invocation;
    if (closedAt === undefined && node !== undefined) {
      if (node.kind === 'turn')
        closeTurn(state, invocation, waits ?? reason, waits === undefined ? last : invocation.last);
      else {
        node.incomplete = reason;
        closeInvocation(state, invocation, last, reason, undefined, keepNone);
      }
    }
    closeSpans(state, invocation, last, reason, keepNone);
  }
}

/** Closes the subtree of a child whose stop was reported: its spans, and the children that hang below it. */
export function closeSubtree(
  state: AssemblyState,
  child: Invocation,
  time: HrTime,
  payload: Payload | undefined,
): void {
  const others = child.openChildren === 0 ? [] : [...child.trace.invocations].reverse();
  for (const other of others) {
    if (other === child || other.node === undefined || other.closedAt !== undefined || !isBelow(other, child)) continue;
    other.node.incomplete = 'subagent_stopped';
    closeInvocation(state, other, time, 'subagent_stopped', undefined, keepNone);
  }
  closeInvocation(state, child, time, 'subagent_stopped', payload, keepNone);
}

function isBelow(invocation: Invocation, ancestor: Invocation): boolean {
  for (let node = invocation.node?.parent; node !== undefined; node = node.parent) {
    if (node === ancestor.node) return true;
  }
  return false;
}
