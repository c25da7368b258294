import { ObserverError } from '@hermes-observer/core';
import { sha256 } from '../call/sha256.js';
import type { Approval } from './approval.js';
import type { ApprovalRequest } from './approvals-port.js';
import { randomToken } from './token.js';

/**
 * Session, turn, call and digest, hashed: the very same call has the same key, also after a restart. A call without an id cannot be
 * told from another one, so it has a key of its own. The turn is in it since some models count their calls anew in each.
 */
export function idempotencyKeyOf({ sessionId, turnId, callId, digest }: ApprovalRequest): string {
  return sha256(JSON.stringify([sessionId, turnId, callId === '' ? randomToken() : callId, digest]));
}

/**
 * @param channels all of the policy, for a request that names none.
 * @throws ObserverError `HO_POLICY_STORE` for arguments that are too large, `HO_POLICY_CONFIG` when somebody other than whoever asked
 * has to approve, and nobody knows who asked.
 */
export function checkRequest({ args, requesterMayApprove, user }: ApprovalRequest, mostBytes: number): void {
  const bytes = Buffer.byteLength(args);
  if (bytes > mostBytes) {
    const text = `Arguments of ${bytes} bytes are more than a person can be asked about (${mostBytes}).`;
    throw new ObserverError('HO_POLICY_STORE', text);
  }
  if (requesterMayApprove || user !== '') return;
  const text = 'requesterMayApprove is false, and the call has no user: nobody could tell who may approve it.';
  throw new ObserverError('HO_POLICY_CONFIG', text);
}

export function newApproval(
  request: ApprovalRequest,
  facts: Pick<Approval, 'idempotencyKey' | 'previewDigest' | 'channels' | 'createdAt'>,
): Approval {
  const { expiresMs } = request;
  return {
    id: randomToken(),
    state: 'pending',
    tool: request.tool,
    args: request.args,
    digest: request.digest,
    callId: request.callId,
    turnId: request.turnId,
    taskId: request.taskId,
    sessionId: request.sessionId,
    agent: request.agent,
    user: request.user,
    title: request.title,
    gates: request.gates,
    approvers: request.approvers,
    requesterMayApprove: request.requesterMayApprove,
    remember: request.remember,
    decisionId: request.decisionId,
    // What is no number of milliseconds never was a time to wait.
    expiresAt: expiresMs === Number.POSITIVE_INFINITY ? null : facts.createdAt + (Math.max(0, expiresMs) || 0),
    decidedAt: null,
    decider: null,
    comment: '',
    tokenHashes: {},
    messages: [],
    owner: '',
    executingAt: null,
    settledAt: null,
    ...facts,
  };
}

/** Whether an approval asks for what is asked for now. A policy may have become stricter since. */
export function hasSameTerms(approval: Approval, request: ApprovalRequest): boolean {
  return approval.digest === request.digest && isSameAction(approval, request);
}

/** The same, for whichever call: tool, arguments, for whom, and on whose word. */
export function isSameAction(approval: Approval, request: ApprovalRequest): boolean {
  const terms = ({ gates, approvers, requesterMayApprove, user, tool, args }: Approval | ApprovalRequest) =>
    JSON.stringify([
      gates.map(({ name, version }) => [name, version ?? null]).sort(),
      [...approvers].sort(),
      requesterMayApprove,
      user,
      tool,
      args,
    ]);
  return terms(approval) === terms(request);
}

/** A yes holds for as long as the question would have stood; then it was for another time. */
export function isStale({ state, decidedAt }: Approval, { expiresMs }: ApprovalRequest, now: number): boolean {
  return state === 'approved' && decidedAt !== null && now - decidedAt > expiresMs;
}
