import { setTimeout as wait } from 'node:timers/promises';
import type { ApprovalStore } from '../stores/approval-store.js';
import { Turns } from '../stores/turns.js';
import type { Approval } from './approval.js';

/** Milliseconds before each attempt. */
const ATTEMPTS = [0, 100, 1000];
/** Approvals of which it is not known whether they were claimed: the oldest are forgotten first, and never run. */
const MOST_UNSURE = 10_000;

/** What this process runs of what was approved. Claims of one approval come one after another: only one of them gets it. */
export class Claims {
  readonly #store: ApprovalStore;
  readonly #turns = new Turns();
  readonly #claimed = new Set<string>();
  /** A claim was sent, and its reply was lost: if the store says that this process executes it, nothing of it has run. */
  readonly #unsure = new Set<string>();

  constructor(store: ApprovalStore) {
    this.#store = store;
  }

  has(id: string): boolean {
    return this.#claimed.has(id);
  }

  /** Whether it may be claimed though the store says that this process executes it. */
  isUnsure({ id, state, owner }: Approval): boolean {
    return state === 'executing' && owner === this.#store.owner && this.#unsure.has(id) && !this.#claimed.has(id);
  }

  /** approved → executing. `undefined`: not by us. Rejects with `HO_POLICY_STORE` when nobody knows; it can be tried again. */
  claim(id: string): Promise<Approval | undefined> {
    return this.#turns.run(id, async () => {
      if (this.#claimed.has(id)) return undefined;
      const claimed = await this.#move(id);
      if (claimed !== undefined) this.#claimed.add(id);
      this.#unsure.delete(id);
      return claimed;
    });
  }

  /** It has ended. */
  release(id: string): void {
    this.#claimed.delete(id);
  }

  async #move(id: string): Promise<Approval | undefined> {
    const { owner } = this.#store;
    let fault: unknown;
    for (const ms of ATTEMPTS) {
      if (ms > 0) await wait(ms);
      try {
        const moved = await this.#store.move(id, ['approved'], 'executing', { at: Date.now(), owner });
        if (moved !== undefined || !this.#unsure.has(id)) return moved;
        const now = await this.#store.get(id);
        return now?.state === 'executing' && now.owner === owner ? now : undefined;
      } catch (error) {
        fault = error;
        this.#noteUnsure(id);
      }
    }
    throw fault;
  }

  #noteUnsure(id: string): void {
    this.#unsure.add(id);
    const [oldest] = this.#unsure;
    if (this.#unsure.size > MOST_UNSURE && oldest !== undefined) this.#unsure.delete(oldest);
  }
}
