import type { Approval, ApprovalState, Decider } from '../approvals/approval.js';
import type { ApprovalRequest, ApprovalsPort } from '../approvals/approvals-port.js';
import type { Remembered } from '../approvals/remembered.js';

/** Approvals in memory alone: people answer by `answer`. */
export class MemoryApprovals implements ApprovalsPort {
  readonly requests: ApprovalRequest[] = [];
  readonly approvals = new Map<string, Approval>();
  readonly claims: string[] = [];
  readonly settled: string[] = [];
  remembered: Remembered | undefined;
  /** Called with each new request. */
  onRequest: ((approval: Approval) => void) | undefined;
  failing: 'request' | 'claim' | 'settle' | 'answered' | 'covering' | undefined;
  readonly #waiting = new Map<string, Set<(approval: Approval) => void>>();

  async covering(): Promise<Remembered | undefined> {
    this.#failAs('covering');
    return this.remembered;
  }

  async request(request: ApprovalRequest): Promise<Approval> {
    this.#failAs('request');
    this.requests.push(request);
    const idempotencyKey = JSON.stringify([request.sessionId, request.callId, request.digest]);
    const known = [...this.approvals.values()].find((approval) => approval.idempotencyKey === idempotencyKey);
    if (known !== undefined) return known;
    const { expiresMs, argsDigest: _digest, ...fields } = request;
    const approval: Approval = {
      ...fields,
      id: `approval-${this.approvals.size + 1}`,
      state: 'pending',
      idempotencyKey,
      previewDigest: '',
      createdAt: 0,
      expiresAt: Number.isFinite(expiresMs) ? expiresMs : null,
      decidedAt: null,
      decider: null,
      comment: '',
      tokenHashes: {},
      messages: [],
      owner: '',
      executingAt: null,
      settledAt: null,
    };
    this.approvals.set(approval.id, approval);
    queueMicrotask(() => this.onRequest?.(approval));
    return approval;
  }

  answer(
    id: string,
    state: 'approved' | 'rejected' | 'expired',
    decider: Decider | null = { channel: 'slack', id: 'U1' },
  ): boolean {
    return this.#move(id, 'pending', state, { decider: state === 'expired' ? null : decider }) !== undefined;
  }

  answered(id: string, signal: AbortSignal | undefined): Promise<Approval> {
    return new Promise((resolve, reject) => {
      this.#failAs('answered');
      const now = this.approvals.get(id) as Approval;
      if (now.state !== 'pending') resolve(now);
      if (signal?.aborted === true) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting.add(resolve));
    });
  }

  async claim(id: string): Promise<Approval | undefined> {
    this.#failAs('claim');
    const claimed = this.#move(id, 'approved', 'executing');
    if (claimed !== undefined) this.claims.push(id);
    return claimed;
  }

  async settle(id: string): Promise<void> {
    this.#failAs('settle');
    if (this.#move(id, 'executing', 'executed') !== undefined) this.settled.push(id);
  }

  async cancel(id: string): Promise<void> {
    this.#move(id, this.claims.includes(id) ? 'executing' : 'pending', 'cancelled');
  }

  #move(id: string, from: ApprovalState, state: ApprovalState, change: Partial<Approval> = {}): Approval | undefined {
    const approval = this.approvals.get(id);
    if (approval?.state !== from) return undefined;
    const moved = { ...approval, ...change, state };
    this.approvals.set(id, moved);
    for (const resolve of this.#waiting.get(id) ?? []) resolve(moved);
    return moved;
  }

  #failAs(step: NonNullable<MemoryApprovals['failing']>): void {
    if (this.failing === step) throw new Error('the store is away');
  }
}
