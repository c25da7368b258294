import type { Approval } from '../approvals/approval.js';

const MOST_SHARED = 10_000;

/**
 * Copies of approvals that take as little memory as they can: one shape for all, whereas a copy by `...` may become a dictionary of
 * three times the size; and one copy of what many have in common.
 */
export class CompactApprovals {
  readonly #shared = new Map<string, unknown>();

  of(approval: Approval): Approval {
    return {
      id: approval.id,
      state: approval.state,
      idempotencyKey: approval.idempotencyKey,
      tool: this.#same(approval.tool),
      args: approval.args,
      digest: approval.digest,
      previewDigest: approval.previewDigest,
      callId: approval.callId,
      turnId: approval.turnId,
      taskId: this.#same(approval.taskId),
      sessionId: this.#same(approval.sessionId),
      agent: this.#same(approval.agent),
      user: this.#same(approval.user),
      title: approval.title,
      gates: this.#same(approval.gates),
      approvers: this.#same(approval.approvers),
      requesterMayApprove: approval.requesterMayApprove,
      remember: this.#same(approval.remember),
      channels: this.#same(approval.channels),
      decisionId: approval.decisionId,
      createdAt: approval.createdAt,
      expiresAt: approval.expiresAt,
      decidedAt: approval.decidedAt,
      decider: approval.decider,
      comment: approval.comment,
      tokenHashes: approval.tokenHashes,
      messages: approval.messages,
      owner: approval.owner,
      executingAt: approval.executingAt,
      settledAt: approval.settledAt,
    };
  }

  #same<T extends string | object | null>(value: T): T {
    const key = JSON.stringify(value);
    const known = this.#shared.get(key);
    if (known !== undefined) return known as T;
    if (this.#shared.size >= MOST_SHARED) this.#shared.clear();
    this.#shared.set(key, value);
    return value;
  }
}
