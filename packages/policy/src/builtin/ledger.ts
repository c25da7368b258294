import { ObserverError } from '@hermes-observer/core';
import { type Damage, SegmentLog } from '@hermes-observer/core/segments';

/** Bytes of a log that is written anew once most of it no longer holds. */
const COMPACT_BYTES = 1024 * 1024;
const BATCH = 500;

/** Small states by key, in memory and, with a folder, on disk. One process at a time has a folder. */
export class Ledger<T> {
  readonly #states = new Map<string, T>();
  readonly #log: SegmentLog | undefined;
  #compactAt = COMPACT_BYTES;
  #compacting: Promise<void> | undefined;

  private constructor(log: SegmentLog | undefined) {
    this.#log = log;
  }

  /**
   * @param folder without one, states end with the process.
   * @param isState whether what was read is a state: it may have been written by another version.
   * @throws ObserverError `HO_POLICY_STORE`: another process has it, or a part of it is lost. Who forgot how much was used
   * must not begin at nothing.
   */
  static async open<T>(folder: string | undefined, isState: (value: unknown) => value is T): Promise<Ledger<T>> {
    if (folder === undefined) return new Ledger<T>(undefined);
    const damages: Damage[] = [];
    let log: SegmentLog | undefined;
    try {
      log = await SegmentLog.open(folder, { sync: 'always', onDamage: (damage) => damages.push(damage) });
      const ledger = new Ledger<T>(log);
      for await (const batch of log.read()) for (const { payload } of batch) ledger.#apply(payload, isState);
      const lost = damages.find(({ records, skippedBytes }) => (records ?? 0) > 0 || skippedBytes > 0);
      if (lost !== undefined) throw lost.error;
      return ledger;
    } catch (cause) {
      await log?.close();
      throw storeError(`Cannot open ${folder}`, cause);
    }
  }

  get size(): number {
    return this.#states.size;
  }

  get(key: string): T | undefined {
    return this.#states.get(key);
  }

  entries(): IterableIterator<[string, T]> {
    return this.#states.entries();
  }

  /** At once in memory. `save` puts it on disk. */
  set(key: string, state: T): void {
    this.#states.set(key, state);
  }

  /** Only from memory: it comes back with the next start, unless it was written anew meanwhile. */
  forget(key: string): void {
    this.#states.delete(key);
  }

  /** Resolves when the state of a key is on disk. Rejects with `HO_POLICY_STORE`. */
  async save(key: string): Promise<void> {
    if (this.#log === undefined) return;
    try {
      await this.#log.append([encode(key, this.#states.get(key) ?? null)]);
    } catch (cause) {
      throw storeError(`Cannot write to ${this.#log.folder}`, cause);
    }
    if (this.#log.size > this.#compactAt) {
      this.#compacting ??= this.#compact(this.#log).finally(() => {
        this.#compacting = undefined;
      });
    }
  }

  async close(): Promise<void> {
    await this.#compacting;
    await this.#log?.close();
  }

  #apply(payload: Uint8Array, isState: (value: unknown) => value is T): void {
    const entry: unknown = JSON.parse(Buffer.from(payload).toString());
    if (!Array.isArray(entry) || typeof entry[0] !== 'string') throw new Error('it has an entry that is none');
    if (entry[1] === null) this.#states.delete(entry[0]);
    else if (isState(entry[1])) this.#states.set(entry[0], entry[1]);
    else throw new Error('it has a state that is none');
  }

  /** All states once more, and then away with what stands before them. What fails here is done again at the next size. */
  async #compact(log: SegmentLog): Promise<void> {
    const before = log.size;
    try {
      const keys = [...this.#states.keys()];
      let first: number | undefined;
      for (let i = 0; i < keys.length; i += BATCH) {
        const payloads = keys.slice(i, i + BATCH).map((key) => encode(key, this.#states.get(key) ?? null));
        await log.room();
        const position = await log.append(payloads);
        first ??= position;
      }
      if (first !== undefined) await log.truncateBefore(first);
      this.#compactAt = Math.max(COMPACT_BYTES, 3 * log.size);
    } catch {
      this.#compactAt = 2 * before;
    }
  }
}

const encode = (key: string, state: unknown): Uint8Array => Buffer.from(JSON.stringify([key, state]));

function storeError(what: string, cause: unknown): ObserverError {
  if (ObserverError.isInstance(cause) && cause.code === 'HO_POLICY_STORE') return cause;
  return new ObserverError('HO_POLICY_STORE', `${what}: ${(cause as Error).message}`, { cause });
}
