import type { Approval } from '../approvals/approval.js';
import type { Remembered } from '../approvals/remembered.js';
import type { ApprovalFilter } from './approval-store.js';
import { CompactApprovals } from './compact-approval.js';
import { ExpiryQueue } from './expiry-queue.js';
import type { FileEntry } from './file-entry.js';
import { FINISHED, moved, withMessage } from './transitions.js';

const DEFAULT_LIMIT = 100;

/** What the log of a file store says, put together: approvals in the order of their creation. */
export class FileState {
  readonly approvals = new Map<string, Approval>();
  readonly remembered = new Map<string, Remembered>();
  /** When each event of a channel may be forgotten. */
  readonly events = new Map<string, number>();
  readonly expiries = new ExpiryQueue((id) => this.approvals.get(id)?.state === 'pending');
  readonly #compact = new CompactApprovals();
  readonly #ids = new Map<string, string>();
  /** Characters of the arguments of all that are not finished. */
  openArgs = 0;
  /** Damage before this position was dealt with. */
  mendedBefore = 0;

  apply(entry: FileEntry): void {
    switch (entry.t) {
      case 'put':
        this.#put(entry.approval);
        return;
      case 'move':
        this.#replace(entry.id, (approval) => moved(approval, entry.to, entry.change));
        return;
      case 'shown':
        this.#replace(entry.id, (approval) => withMessage(approval, entry.ref, entry.tokenHash));
        return;
      case 'event':
        this.events.set(entry.key, entry.until);
        return;
      case 'remember':
        this.remembered.set(entry.entry.id, entry.entry);
        return;
      case 'revoke':
        this.remembered.delete(entry.id);
        return;
      case 'mended':
        this.mendedBefore = Math.max(this.mendedBefore, entry.before);
    }
  }

  find(idempotencyKey: string): Approval | undefined {
    return this.approvals.get(this.#ids.get(idempotencyKey) ?? '');
  }

  list({ states, sessionId, limit = DEFAULT_LIMIT, after }: ApprovalFilter): Approval[] {
    const found: Approval[] = [];
    let isBehind = after === undefined || !this.approvals.has(after);
    for (const approval of this.approvals.values()) {
      if (found.length >= limit) break;
      const counts = isBehind;
      if (approval.id === after) isBehind = true;
      if (!counts || (states !== undefined && !states.includes(approval.state))) continue;
      if (sessionId === undefined || approval.sessionId === sessionId) found.push(approval);
    }
    return found;
  }

  /** Lets go of what nobody needs any more: old events and answers, and finished approvals that are old or too many. */
  forget(now: number, keep: { readonly millis: number; readonly most: number; readonly args: number }): void {
    for (const [key, until] of this.events) if (until <= now) this.events.delete(key);
    for (const [id, { expiresAt }] of this.remembered) if (expiresAt <= now) this.remembered.delete(id);
    const finished = [...this.approvals.values()].filter(({ state }) => FINISHED.includes(state));
    let tooMany = finished.length - keep.most;
    let kept = finished.reduce((sum, { args }) => sum + args.length, 0);
    for (const { id, args, settledAt, decidedAt, createdAt } of finished) {
      const isOld = (settledAt ?? decidedAt ?? createdAt) + keep.millis <= now;
      if (tooMany-- <= 0 && kept <= keep.args && !isOld) continue;
      kept -= args.length;
      this.drop(id);
    }
  }

  drop(id: string): void {
    const approval = this.approvals.get(id);
    if (approval === undefined) return;
    this.approvals.delete(id);
    this.#count(approval, -1);
    this.#ids.delete(approval.idempotencyKey);
  }

  #put(approval: Approval): void {
    this.approvals.set(approval.id, this.#compact.of(approval));
    this.#count(approval, 1);
    this.#ids.set(approval.idempotencyKey, approval.id);
    if (approval.state === 'pending' && approval.expiresAt !== null) {
      this.expiries.add(approval.expiresAt, approval.id);
    }
  }

  /** One that is not there was copied forward behind this entry. */
  #replace(id: string, change: (approval: Approval) => Approval): void {
    const approval = this.approvals.get(id);
    if (approval === undefined) return;
    const changed = this.#compact.of(change(approval));
    this.#count(approval, -1);
    this.#count(changed, 1);
    this.approvals.set(id, changed);
  }

  #count({ state, args }: Approval, sign: 1 | -1): void {
    if (!FINISHED.includes(state)) this.openArgs += sign * args.length;
  }
}
