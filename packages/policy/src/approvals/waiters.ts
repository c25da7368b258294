import type { Approval } from './approval.js';

interface Waiter {
  readonly resolve: (approval: Approval) => void;
  readonly reject: (reason: unknown) => void;
  readonly leave: (() => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Who waits for which approval. No timer, no thread: a promise each. */
export class Waiters {
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #onChange: () => void;

  /** @param onChange told when the first has come or the last has gone. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#waiters.size;
  }

  ids(): string[] {
    return [...this.#waiters.keys()];
  }

  has(id: string): boolean {
    return this.#waiters.has(id);
  }

  /** Rejects with the reason of the signal once it aborts. */
  wait(id: string, signal: AbortSignal | undefined): Promise<Approval> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = signal === undefined ? undefined : () => this.#leave(id, waiter);
      const waiter: Waiter = { resolve, reject, leave, signal };
      if (leave !== undefined) signal?.addEventListener('abort', leave, { once: true });
      const others = this.#waiters.get(id);
      if (others === undefined) this.#waiters.set(id, [waiter]);
      else others.push(waiter);
      if (this.#waiters.size === 1) this.#onChange();
    });
  }

  /** One that is pending still wakes nobody. */
  wake(approval: Approval): void {
    if (approval.state !== 'pending') this.#take(approval.id, ({ resolve }) => resolve(approval));
  }

  reject(id: string, reason: unknown): void {
    this.#take(id, (waiter) => waiter.reject(reason));
  }

  #take(id: string, end: (waiter: Waiter) => void): void {
    const all = this.#waiters.get(id);
    if (all === undefined) return;
    this.#waiters.delete(id);
    for (const waiter of all) {
      if (waiter.leave !== undefined) waiter.signal?.removeEventListener('abort', waiter.leave);
      end(waiter);
    }
    if (this.#waiters.size === 0) this.#onChange();
  }

  #leave(id: string, waiter: Waiter): void {
    const others = this.#waiters.get(id)?.filter((one) => one !== waiter) ?? [];
    if (others.length > 0) this.#waiters.set(id, others);
    else this.#waiters.delete(id);
    waiter.reject(waiter.signal?.reason);
    if (this.#waiters.size === 0) this.#onChange();
  }
}
