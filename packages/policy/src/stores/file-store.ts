import { randomBytes } from 'node:crypto';
import { type Damage, SegmentLog } from '@hermes-observer/core/segments';
import type { Approval, ApprovalState, MessageRef } from '../approvals/approval.js';
import type { Remembered } from '../approvals/remembered.js';
import { sha256 } from '../call/sha256.js';
import type { ApprovalFilter, ApprovalStore, Transition } from './approval-store.js';
import { ChangeListeners } from './change-listeners.js';
import { copyForward } from './copy-forward.js';
import { encodeEntry, type FileEntry } from './file-entry.js';
import type { FileState } from './file-state.js';
import { readState } from './read-state.js';
import { orStoreError, policyStoreError } from './store-error.js';
import { isTooLate } from './transitions.js';
import { Turns } from './turns.js';

export interface FileStoreOptions {
  /** Finished approvals are kept for this many milliseconds. @default 30 days */
  readonly keepMs?: number | undefined;
  /** And at most so many of them. @default 10000 */
  readonly keepFinished?: number | undefined;
  /** Characters of the arguments of all requests that are not finished: a further one is refused. @default 64 Mi */
  readonly maxOpenArgs?: number | undefined;
  /** The log is written anew when it has this many bytes, and three times what is in force. @default 8 MiB */
  readonly compactBytes?: number | undefined;
  /** Told of damage and of what could not be tidied up. @default a warning of the process */
  readonly onWarning?: ((text: string) => void) | undefined;
}

type Resolved = { readonly [K in keyof FileStoreOptions]-?: NonNullable<FileStoreOptions[K]> };

const DAY_MS = 86_400_000;
/** Events of channels in one window of time: more than that are refused. */
const MOST_EVENTS = 100_000;
/** Characters of the arguments of finished requests. */
const MOST_FINISHED_ARGS = 64 * 1024 * 1024;
/** Answers in force. */
const MOST_REMEMBERED = 10_000;

/**
 * Approvals in a folder of this machine, for one process at a time. Each change is synced to the disk before it counts, and
 * none is ever overwritten. Raw arguments are in it: the folder is readable by its user alone.
 */
export class FileStore implements ApprovalStore {
  readonly owner = randomBytes(16).toString('base64url');
  readonly isShared = false;
  readonly #log: SegmentLog;
  readonly #state: FileState;
  readonly #turns = new Turns();
  readonly #listeners = new ChangeListeners();
  readonly #options: Resolved;
  #compactAt: number;
  #compacting: Promise<void> | undefined;

  private constructor(log: SegmentLog, state: FileState, options: Resolved) {
    this.#log = log;
    this.#state = state;
    this.#options = options;
    this.#compactAt = options.compactBytes;
  }

  /**
   * Opens the store of a folder, which is made if it is not there.
   * @throws ObserverError `HO_POLICY_STORE`: another process has it, the disk refuses, or what is in it is no approval.
   */
  static async open(folder: string, options: FileStoreOptions = {}): Promise<FileStore> {
    const all = {
      keepMs: options.keepMs ?? 30 * DAY_MS,
      keepFinished: options.keepFinished ?? 10_000,
      maxOpenArgs: options.maxOpenArgs ?? 64 * 1024 * 1024,
      compactBytes: options.compactBytes ?? 8 * 1024 * 1024,
      onWarning: options.onWarning ?? ((text: string) => process.emitWarning(text)),
    };
    const damages: Damage[] = [];
    return orStoreError(`Cannot open the approvals in ${folder}`, async () => {
      const log = await SegmentLog.open(folder, {
        sync: 'always',
        segmentBytes: Math.max(4096, Math.floor(all.compactBytes / 4)),
        onDamage: (damage) => {
          damages.push(damage);
          all.onWarning(damage.error.message);
        },
      });
      try {
        const state = await readState(log);
        const store = new FileStore(log, state, all);
        // A torn tail was never acknowledged. Records that are lost from within were.
        const isLost = ({ records, skippedBytes, position }: Damage) =>
          ((records ?? 0) > 0 || skippedBytes > 0) && position >= state.mendedBefore;
        if (damages.some(isLost)) await store.#closeAll(log.next);
        return store;
      } catch (error) {
        await log.close();
        throw error;
      }
    });
  }

  create(approval: Approval): Promise<{ readonly approval: Approval; readonly isNew: boolean }> {
    return this.#turns.run(`key ${approval.idempotencyKey}`, async () => {
      const known = this.#state.find(approval.idempotencyKey);
      if (known !== undefined) return { approval: known, isNew: false };
      if (this.#state.approvals.has(approval.id)) throw policyStoreError('Cannot keep an approval', 'its id is taken');
      if (this.#state.openArgs + approval.args.length > this.#options.maxOpenArgs)
        throw policyStoreError('Cannot keep an approval', 'too much waits for an answer already');
      await this.#write({ t: 'put', approval });
      return { approval, isNew: true };
    });
  }

  async get(id: string): Promise<Approval | undefined> {
    return this.#state.approvals.get(id);
  }

  async find(idempotencyKey: string): Promise<Approval | undefined> {
    return this.#state.find(idempotencyKey);
  }

  async list(filter: ApprovalFilter): Promise<readonly Approval[]> {
    return this.#state.list(filter);
  }

  move(
    id: string,
    from: readonly ApprovalState[],
    to: ApprovalState,
    change: Transition,
  ): Promise<Approval | undefined> {
    return this.#turns.run(id, async () => {
      const approval = this.#state.approvals.get(id);
      if (approval === undefined || !from.includes(approval.state) || isTooLate(approval, to, change.at))
        return undefined;
      await this.#write({ t: 'move', id, to, change });
      this.#listeners.tell(id);
      return this.#state.approvals.get(id);
    });
  }

  shown(id: string, ref: MessageRef, tokenHash: string): Promise<void> {
    return this.#turns.run(id, async () => {
      if (this.#state.approvals.has(id)) await this.#write({ t: 'shown', id, ref, tokenHash });
    });
  }

  async expire(now: number): Promise<readonly Approval[]> {
    const due = this.#state.expiries.take(now);
    const expired = due.map(async (id) => {
      try {
        return await this.move(id, ['pending'], 'expired', { at: now });
      } catch (error) {
        // It is due the next time again.
        const expiresAt = this.#state.approvals.get(id)?.expiresAt;
        if (typeof expiresAt === 'number') this.#state.expiries.add(expiresAt, id);
        throw error;
      }
    });
    const results = await Promise.allSettled(expired);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
  }

  async nextExpiry(): Promise<number | undefined> {
    return this.#state.expiries.next();
  }

  async abandon(now: number): Promise<readonly Approval[]> {
    const gone = [...this.#state.approvals.values()].filter(
      ({ state, owner }) => state === 'executing' && owner !== this.owner,
    );
    const all = await Promise.all(gone.map(({ id }) => this.move(id, ['executing'], 'outcome_unknown', { at: now })));
    return all.filter((approval) => approval !== undefined);
  }

  takeEvent(channel: string, eventId: string, now: number, keepMs: number): Promise<boolean> {
    const key = sha256(JSON.stringify([channel, eventId]));
    return this.#turns.run(`event ${key}`, async () => {
      if ((this.#state.events.get(key) ?? 0) > now) return false;
      if (this.#state.events.size >= MOST_EVENTS) {
        for (const [old, until] of this.#state.events) if (until <= now) this.#state.events.delete(old);
        if (this.#state.events.size >= MOST_EVENTS)
          throw policyStoreError('Cannot take an event', 'there are too many');
      }
      await this.#write({ t: 'event', key, until: now + keepMs });
      return true;
    });
  }

  async remember(entry: Remembered): Promise<void> {
    if (this.#state.remembered.size >= MOST_REMEMBERED) {
      throw policyStoreError('Cannot remember an answer', `there are ${MOST_REMEMBERED} already; revoke some`);
    }
    await this.#write({ t: 'remember', entry });
  }

  async remembered(now: number): Promise<readonly Remembered[]> {
    return [...this.#state.remembered.values()].filter(({ expiresAt }) => expiresAt > now).reverse();
  }

  revoke(id: string, now: number): Promise<boolean> {
    return this.#turns.run(`remembered ${id}`, async () => {
      const entry = this.#state.remembered.get(id);
      if (entry === undefined || entry.expiresAt <= now) return false;
      await this.#write({ t: 'revoke', id });
      return true;
    });
  }

  onChange(listener: (id: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    await this.#turns.idle();
    await this.#compacting;
    await orStoreError(`Cannot close the approvals in ${this.#log.folder}`, () => this.#log.close());
  }

  /** Only what is on the disk counts. */
  async #write(entry: FileEntry): Promise<void> {
    await orStoreError(`Cannot write to the approvals in ${this.#log.folder}`, async () => {
      await this.#log.room();
      await this.#log.append([encodeEntry(entry)]);
    });
    this.#state.apply(entry);
    if (this.#log.size > this.#compactAt && this.#compacting === undefined) {
      this.#compacting = this.#compact().finally(() => {
        this.#compacting = undefined;
      });
    }
  }

  async #compact(): Promise<void> {
    const { keepMs, keepFinished, compactBytes, onWarning } = this.#options;
    try {
      this.#state.forget(Date.now(), { millis: keepMs, most: keepFinished, args: MOST_FINISHED_ARGS });
      const bytes = await copyForward(this.#log, this.#state, this.#turns);
      this.#compactAt = Math.max(compactBytes, 3 * bytes);
    } catch (error) {
      this.#compactAt = this.#log.size + compactBytes;
      onWarning(policyStoreError(`Cannot tidy up the approvals in ${this.#log.folder}`, error).message);
    }
  }

  /**
   * Records were lost that had been acknowledged: nobody knows what they said. Nothing that was open may run: a refusal, or
   * that it has run, may be among them.
   */
  async #closeAll(before: number): Promise<void> {
    const at = Date.now();
    for (const { id, state } of [...this.#state.approvals.values()]) {
      if (state === 'pending') await this.move(id, [state], 'cancelled', { at });
      else if (state === 'approved' || state === 'executing') await this.move(id, [state], 'outcome_unknown', { at });
    }
    for (const id of [...this.#state.remembered.keys()]) await this.#write({ t: 'revoke', id });
    await this.#write({ t: 'mended', before });
    const text = `Approvals in ${this.#log.folder} were lost to damage. All that were open are closed; ask again.`;
    this.#options.onWarning(text);
  }
}
