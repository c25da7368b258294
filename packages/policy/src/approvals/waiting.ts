import type { ApprovalStore } from '../stores/approval-store.js';
import { policyStoreError } from '../stores/store-error.js';
import type { Approval } from './approval.js';
import { SharedClock } from './shared-clock.js';
import { Waiters } from './waiters.js';

const PAGE = 1000;

/** All that are pending, oldest first. */
export async function* allPending(store: ApprovalStore): AsyncGenerator<Approval, void, void> {
  let after: string | undefined;
  for (;;) {
    const page = await store.list({ states: ['pending'], limit: PAGE, after });
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

/**
 * Waits for answers, whichever process they are given to: on what the store tells, or on one poll where it tells nothing; and on one
 * timer for the next expiry of all.
 */
export class Waiting {
  readonly #store: ApprovalStore;
  readonly #pollMs: number;
  readonly #onExpired: (approval: Approval) => void;
  readonly #onApproved: (id: string) => void;
  readonly #onSeen: (id: string) => void;
  readonly #clock: SharedClock;
  readonly #waiters: Waiters;
  /** The store could not be looked at: it is done at the next tick. */
  #isBehind = false;
  #endListening: (() => void) | undefined;

  /**
   * @param told.onExpired of those whose time is over, once in all processes.
   * @param told.onSeen of those that are found decided by a look at the store.
   * @param told.onApproved of those that somebody here waits for, before they go on.
   */
  constructor(
    store: ApprovalStore,
    pollMs: number,
    told: {
      readonly onExpired: (approval: Approval) => void;
      readonly onApproved: (id: string) => void;
      readonly onSeen: (id: string) => void;
    },
  ) {
    this.#store = store;
    this.#pollMs = pollMs;
    this.#onExpired = told.onExpired;
    this.#onApproved = told.onApproved;
    this.#onSeen = told.onSeen;
    this.#clock = new SharedClock(
      () => this.#tick(),
      () => this.#waiters.size > 0,
    );
    this.#waiters = new Waiters(() => this.#clock.waitersChanged());
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Begins to listen, and says of what has expired meanwhile that it has. */
  async start(): Promise<void> {
    this.#endListening = this.#store.onChange?.((id) => this.#changed(id));
    this.#clock.due((await this.#tick()) ?? Number.POSITIVE_INFINITY);
  }

  /** A new request expires at this time. */
  due(expiresAt: number | null): void {
    if (expiresAt !== null) this.#clock.due(expiresAt);
  }

  /** A store that is away for a moment is looked at again: who waits for hours must not be turned away by that. */
  answered(id: string, signal: AbortSignal | undefined): Promise<Approval> {
    const answer = this.#waiters.wait(id, signal);
    if (this.#store.onChange === undefined) this.#clock.due(Date.now() + this.#pollMs);
    // Looked at once it is waited for: a change is seen either here or later.
    this.#changed(id);
    return answer;
  }

  isWaitedFor(id: string): boolean {
    return this.#waiters.has(id);
  }

  wake(approval: Approval): void {
    if (approval.state === 'approved' && this.#waiters.has(approval.id)) this.#onApproved(approval.id);
    this.#waiters.wake(approval);
  }

  async expire(): Promise<void> {
    for (const approval of await this.#store.expire(Date.now())) {
      this.wake(approval);
      this.#onExpired(approval);
    }
  }

  stop(): void {
    this.#clock.stop();
    this.#endListening?.();
    const closed = policyStoreError('The answer is not waited for any more', 'the policy was closed');
    for (const id of this.#waiters.ids()) this.#waiters.reject(id, closed);
  }

  /** @param id '' when any may have changed. */
  #changed(id: string): void {
    if (id !== '' && !this.#waiters.has(id)) return;
    const looked = id === '' ? this.#lookAtAll() : this.#look(id);
    looked.catch(() => {
      this.#isBehind = true;
      this.#clock.due(Date.now() + this.#pollMs);
    });
  }

  async #look(id: string): Promise<void> {
    if (!this.#waiters.has(id)) return;
    const approval = await this.#store.get(id);
    if (approval !== undefined) {
      this.wake(approval);
      if (approval.state !== 'pending') this.#onSeen(id);
    } else this.#waiters.reject(id, policyStoreError('Cannot wait for an approval', 'it is not there'));
  }

  async #lookAtAll(): Promise<void> {
    if (this.#waiters.size === 0) return;
    const waiting = new Set(this.#waiters.ids());
    for await (const { id } of allPending(this.#store)) waiting.delete(id);
    for (const id of waiting) await this.#look(id);
  }

  async #tick(): Promise<number | undefined> {
    await this.expire();
    const polls = this.#store.onChange === undefined && this.#waiters.size > 0;
    if (polls || this.#isBehind) {
      await this.#lookAtAll();
      this.#isBehind = false;
    }
    const next = await this.#store.nextExpiry();
    return polls ? Math.min(next ?? Number.POSITIVE_INFINITY, Date.now() + this.#pollMs) : next;
  }
}
