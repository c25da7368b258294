import type { HookMeta, Payload } from '@hermes-observer/core';
import { CallQueue } from './call-queue.js';
import { approvalSessions, releaseApproval } from './closing.js';
import { text } from './fields.js';
import type { Invocation, KeyedApprovals, TurnScope } from './invocation.js';
import { forgetOldest, KeyedSpans } from './keyed-spans.js';
import { ownerOf } from './owner.js';
import { ApprovalNode } from './span-node.js';
import { type AssemblyState, sessionOf, turnOf } from './state.js';

function keyOf(payload: Payload): string {
  const parts = [payload.tool_call_id, payload.surface, payload.pattern_key];
  return parts.map((part) => text(part) ?? '').join('\0');
}

const isEnded = ({ end }: ApprovalNode) => end !== undefined;

function approvalsOf(scope: TurnScope, key: string, max: number): KeyedApprovals {
  scope.approvals ??= new Map();
  let approvals = scope.approvals.get(key);
  if (approvals === undefined) {
    approvals = { started: scope.forgottenStarts, open: new CallQueue(isEnded) };
    scope.approvals.set(key, approvals);
    scope.forgottenStarts += forgetOldest(scope.approvals, max);
  }
  return approvals;
}

function openApproval(
  state: AssemblyState,
  owner: Invocation | undefined,
  scope: TurnScope,
  payload: Payload,
  meta: HookMeta,
  startMissing: boolean,
): ApprovalNode {
  const callId = text(payload.tool_call_id);
  const approvals = approvalsOf(scope, keyOf(payload), state.limits.maxKeysPerTurn);
  const ordinal = approvals.started++;
  const tool = callId === undefined ? undefined : scope.tools?.get(callId);
  const invocation = owner ?? state.newStray(meta, meta.time, payload);
  const parent = (owner === undefined ? undefined : tool) ?? owner?.node;
  const session = sessionOf(invocation, text(payload.session_id));
  const turnId = turnOf(invocation, text(payload.turn_id));
  const nth = owner === undefined ? 0 : ordinal;
  const node = new ApprovalNode(scope, invocation, parent, meta.time, session, turnId, nth);
  node.tool = tool;
  node.callId = callId;
  node.surface = text(payload.surface);
  node.patternKey = text(payload.pattern_key);
  node.startMissing = startMissing;
  approvals.open.add(node);
  if (callId !== undefined) {
    scope.asked ??= new KeyedSpans();
    scope.asked.add(callId, node, state.limits.maxKeysPerTurn);
  }
  // A question to the person that lies around this approval is the same wait.
  for (const id of approvalSessions(invocation, node.session)) {
    const session = state.sessions.get(id);
    session.openApprovals++;
    for (const held of session.held) held.covered = true;
    session.held.clear();
  }
  state.open(node, payload);
  return node;
}

function endApproval(
  state: AssemblyState,
  node: ApprovalNode,
  choice: string | undefined,
  payload: Payload,
  meta: HookMeta,
): void {
  node.choice = choice;
  node.decidedBy = text(payload.decided_by);
  releaseApproval(state, node.invocation, node.session, meta.time);
  state.end(node, meta.time, payload);
}

export function onApprovalStart(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const owner = ownerOf(state, payload, meta, turnId, text(payload.session_id), true);
  if (owner === null) return;
  const scope = owner?.scope(turnId) ?? state.strayScope(meta.producer ?? '');
  const callId = text(payload.tool_call_id);
  if (callId !== undefined) {
    // Whoever was asked first about this call has passed the question on.
    const asked = scope.asked?.get(callId);
    if (asked !== undefined && asked.end === undefined) endApproval(state, asked, 'escalated', {}, meta);
  }
  openApproval(state, owner, scope, payload, meta, false);
}

export function onApprovalEnd(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  const turnId = text(payload.turn_id);
  const owner = ownerOf(state, payload, meta, turnId, text(payload.session_id), true);
  if (owner === null) return;
  const scope = owner?.scope(turnId) ?? state.strayScope(meta.producer ?? '');
  const approvals = scope.approvals?.get(keyOf(payload));
  let node = approvals?.open.first();
  if (node === undefined) {
    if (approvals !== undefined) return;
    node = openApproval(state, owner, scope, payload, meta, true);
  }
  endApproval(state, node, text(payload.choice), payload, meta);
}
