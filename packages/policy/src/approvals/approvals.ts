import { ObserverError, type RedactionOptions, Redactor } from '@hermes-observer/core';
import type { BaseChannel, ChannelDecision, DecisionOutcome } from '../channels/base-channel.js';
import type { ApprovalStore, Transition } from '../stores/approval-store.js';
import { policyStoreError } from '../stores/store-error.js';
import type { Approval, ApprovalState } from './approval.js';
import type { ApprovalRequest, ApprovalsPort, DecisionPort } from './approvals-port.js';
import { previewOf, redactedApproval } from './card.js';
import type { RefusalKind } from './check-answer.js';
import { Claims } from './claims.js';
import { type Answer, Decisions } from './decisions.js';
import { type IsRequester, isSameId } from './may-decide.js';
import { checkRequest, hasSameTerms, idempotencyKeyOf, isSameAction, isStale, newApproval } from './new-approval.js';
import { Outlets } from './outlets.js';
import type { Remembered } from './remembered.js';
import { holdsFor } from './remembering.js';
import { allPending, Waiting } from './waiting.js';

export interface ApprovalsOptions {
  /** Closed with these approvals. */
  readonly store: ApprovalStore;
  /** Closed with these approvals. */
  readonly channels: readonly BaseChannel[];
  /** Of cards, pages and logs. `hash` needs a `salt`: a card looks the same after a restart. @default mask secrets and personal data */
  readonly redaction?: RedactionOptions | undefined;
  /** Page where all of a request can be read. @default none */
  readonly link?: ((approval: Approval) => string | undefined) | undefined;
  /** Whether the user of a call is the person who decides. @default the same id, alone or with its channel */
  readonly isRequester?: IsRequester | undefined;
  /** Milliseconds for a channel to show a request, or what became of it. @default 10000 */
  readonly sendMs?: number | undefined;
  /** Milliseconds between two looks at a store that tells of no changes. @default 1000 */
  readonly pollMs?: number | undefined;
  /** Bytes of arguments that a person can be asked about. @default 1 MiB */
  readonly maxArgsBytes?: number | undefined;
  /** Told of what a channel or the store failed at, without content. @default nothing; it is counted */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface ApprovalCounts {
  readonly sendFailures: number;
  readonly updateFailures: number;
  /** Answers that were refused, by what was wrong with them. */
  readonly refused: Readonly<Partial<Record<RefusalKind, number>>>;
  /** Requests whose answer somebody in this process waits for. */
  readonly waiting: number;
}

/** Longer than any window of time in which a signed delivery is taken. */
const EVENT_KEEP_MS = 3_600_000;

/** Open requests of a session among which an earlier one of the same action is looked for. */
const MOST_OF_A_SESSION = 1_000;

/** Durable requests to people, and their answers. Nothing in memory decides: the store does. */
export class Approvals implements ApprovalsPort, DecisionPort {
  readonly #options: ApprovalsOptions;
  readonly #store: ApprovalStore;
  readonly #redactor: Redactor;
  readonly #isRequester: IsRequester;
  readonly #sendMs: number;
  readonly #outlets: Outlets;
  readonly #waiting: Waiting;
  readonly #decisions: Decisions;
  readonly #showing = new Map<string, Promise<void>>();
  readonly #claims: Claims;
  /** A call of this process is about to wait for the answer, or to go on with it. */
  readonly #attended = new Set<string>();
  #endHearing: (() => void) | undefined;

  private constructor(options: ApprovalsOptions) {
    const { store, channels, redaction, link = () => undefined, isRequester = isSameId, sendMs = 10_000 } = options;
    this.#options = options;
    this.#store = store;
    this.#claims = new Claims(store);
    this.#redactor = new Redactor(redaction);
    this.#isRequester = isRequester;
    this.#sendMs = sendMs;
    const onFailure = (channel: string, error: unknown) => this.#warn(`channel ${channel}`, error);
    this.#outlets = new Outlets({ store, channels, redactor: this.#redactor, sendMs, link, onFailure });
    this.#waiting = new Waiting(store, options.pollMs ?? 1_000, {
      onExpired: (approval) => this.#outlets.update(approval),
      onApproved: (id) => this.#attended.add(id),
      // Where nobody tells of changes: what another process decided is taken off what is shown here alone.
      onSeen: (id) => store.isShared && this.#outlets.heard(id),
    });
    this.#decisions = new Decisions({
      store,
      isRequester,
      redacted: (approval) => this.#redacted(approval),
      onDecided: (approval) => this.#over(approval),
      onExpired: () => this.#waiting.expire(),
      onFailure: (what, error) => this.#warn(what, error),
    });
  }

  /**
   * Takes over a store and channels: what a process that is gone was executing has an unknown outcome, and what has expired is said so.
   * @throws ObserverError `HO_POLICY_STORE`, `HO_OPTION` for wrong redaction. Then the store is still the caller's.
   */
  static async open(options: ApprovalsOptions): Promise<Approvals> {
    if (options.redaction?.mode === 'hash' && options.redaction.salt === undefined) {
      const text =
        "redaction of approvals with mode 'hash' needs a salt, so that a card looks the same after a restart.";
      throw new ObserverError('HO_OPTION', text);
    }
    const approvals = new Approvals(options);
    await approvals.abandon();
    await approvals.#waiting.start();
    const { store } = options;
    if (store.isShared) approvals.#endHearing = store.onChange?.((id) => approvals.#outlets.heard(id));
    for (const channel of options.channels) channel.open?.(approvals);
    return approvals;
  }

  get counts(): ApprovalCounts {
    return { ...this.#outlets.counts, refused: this.#decisions.refused, waiting: this.#waiting.size };
  }

  async covering(request: ApprovalRequest): Promise<Remembered | undefined> {
    if (request.remember === null) return undefined;
    const now = Date.now();
    const entries = await this.#store.remembered(now);
    return entries.find((entry) => holdsFor(entry, request, now, this.#isRequester));
  }

  /**
   * @throws ObserverError `HO_POLICY_CHANNEL` when nobody could be asked; `HO_POLICY_STORE`; `HO_POLICY_CONFIG` when somebody other
   * than whoever asked has to approve, and it is not known who asked.
   */
  async request(request: ApprovalRequest): Promise<Approval> {
    checkRequest(request, this.#options.maxArgsBytes ?? 1024 * 1024);
    const again = await this.#askedAgain(request);
    const approval = again ?? (await this.#create(request));
    if (approval.state === 'pending' || approval.state === 'approved') this.#attended.add(approval.id);
    return approval;
  }

  /**
   * What was asked for the same action of the session by a call that has stopped waiting. A model that asks again does so by another
   * call; a person who answers meanwhile has answered for that one. Where several processes share a store, nobody knows who waits.
   */
  async #askedAgain(request: ApprovalRequest): Promise<Approval | undefined> {
    if (this.#store.isShared || request.sessionId === '') return undefined;
    if ((await this.#store.find(idempotencyKeyOf(request))) !== undefined) return undefined;
    await this.#waiting.expire();
    const { sessionId, agent, callId, turnId } = request;
    const open = await this.#store.list({ states: ['pending', 'approved'], sessionId, limit: MOST_OF_A_SESSION });
    const before = open.find(
      (one) =>
        (one.callId !== callId || one.turnId !== turnId) &&
        one.agent === agent &&
        !this.#attended.has(one.id) &&
        !this.#waiting.isWaitedFor(one.id) &&
        isSameAction(one, request) &&
        this.#isAskedAlike(one, request),
    );
    if (before === undefined) return undefined;
    // At once: another call that asks for the same just now is not to wait for this answer as well.
    this.#attended.add(before.id);
    try {
      if (before.state === 'pending') await this.#show(before, false);
      return await this.#existing(before.id);
    } catch (error) {
      this.#attended.delete(before.id);
      throw error;
    }
  }

  /** On no channel that is not to be asked now, and for no longer than it would be asked now. */
  #isAskedAlike(approval: Approval, request: ApprovalRequest): boolean {
    const now = Date.now();
    if (isStale(approval, request, now) || !approval.channels.every((name) => this.#channelsOf(request).includes(name)))
      return false;
    return approval.state !== 'pending' || (approval.expiresAt ?? Number.POSITIVE_INFINITY) <= now + request.expiresMs;
  }

  #channelsOf({ channels }: ApprovalRequest): readonly string[] {
    return channels.length > 0 ? channels : this.#options.channels.map(({ name }) => name);
  }

  async #create(request: ApprovalRequest): Promise<Approval> {
    const { digest } = previewOf(request, this.#redactor);
    const channels = this.#channelsOf(request);
    const idempotencyKey = idempotencyKeyOf(request);
    const made = newApproval(request, { idempotencyKey, previewDigest: digest, channels, createdAt: Date.now() });
    const { approval, isNew } = await this.#store.create(made);
    this.#waiting.due(approval.expiresAt);
    const current = isNew ? approval : await this.#attached(approval, request);
    if (current.state !== 'pending') return current;
    await this.#show(current, isNew);
    return this.#existing(current.id);
  }

  answered(id: string, signal: AbortSignal | undefined): Promise<Approval> {
    this.#attended.delete(id);
    return this.#waiting.answered(id, signal);
  }

  async claim(id: string): Promise<Approval | undefined> {
    try {
      return await this.#claims.claim(id);
    } finally {
      this.#attended.delete(id);
    }
  }

  /** Only of what this process has claimed. Also of one that others took for lost meanwhile: it is known now how it ended. */
  async settle(id: string): Promise<void> {
    if (!this.#claims.has(id)) throw policyStoreError('Cannot settle an approval', 'this process does not run it');
    await this.#store.move(id, ['executing', 'outcome_unknown'], 'executed', { at: Date.now() });
    this.#claims.release(id);
  }

  async cancel(id: string): Promise<void> {
    this.#attended.delete(id);
    if (!this.#claims.has(id)) return this.#end(id, ['pending']);
    const { decider, comment } = await this.#existing(id);
    await this.#end(id, ['executing'], { decider: decider ?? undefined, comment });
    this.#claims.release(id);
  }

  /** What processes that are gone were executing: nobody knows how it ended, and it never runs by itself again. */
  abandon(): Promise<readonly Approval[]> {
    return this.#store.abandon(Date.now());
  }

  decide(channel: string, decision: ChannelDecision, now: number): Promise<DecisionOutcome> {
    return this.#decisions.decide(channel, decision, now);
  }

  /**
   * Decides for somebody who has access to the store itself, as by a command: without a token, by all other rules. Never throws.
   * @param answer `decider` is compared with the approvers as `<channel>:<id>`.
   */
  decideHere(id: string, answer: Answer): Promise<DecisionOutcome> {
    return this.#decisions.decideHere(id, answer);
  }

  isNewEvent(channel: string, eventId: string, now: number): Promise<boolean> {
    return this.#store.takeEvent(channel, eventId, now, EVENT_KEEP_MS);
  }

  async pending(): Promise<readonly Approval[]> {
    await this.#waiting.expire();
    const all: Approval[] = [];
    for await (const approval of allPending(this.#store)) all.push(this.#redacted(approval));
    return all;
  }

  /** How many wait for an answer, some of which may have expired. */
  async pendingCount(): Promise<number> {
    let count = 0;
    for await (const _ of allPending(this.#store)) count++;
    return count;
  }

  async get(id: string): Promise<Approval | undefined> {
    const approval = await this.#store.get(id);
    return approval === undefined ? undefined : this.#redacted(approval);
  }

  /** Answers in force, newest first. */
  remembered(): Promise<readonly Remembered[]> {
    return this.#store.remembered(Date.now());
  }

  /** False when there is none of that id. */
  revoke(id: string): Promise<boolean> {
    return this.#store.revoke(id, Date.now());
  }

  /** Who waits gets a rejection; requests stay as they are. Closes the channels and the store. */
  async close(): Promise<void> {
    this.#waiting.stop();
    this.#endHearing?.();
    await Promise.allSettled([...this.#showing.values()]);
    await this.#outlets.close();
    await this.#store.close();
  }

  /** One that is there already, as far as it may still be used for this request. */
  async #attached(approval: Approval, request: ApprovalRequest): Promise<Approval> {
    const { id, state } = approval;
    const isOpen = state === 'pending' || state === 'approved';
    if (isOpen && !hasSameTerms(approval, request)) await this.#end(id, ['pending', 'approved']);
    if (isStale(approval, request, Date.now())) await this.#store.move(id, ['approved'], 'expired', { at: Date.now() });
    if (state === 'pending') await this.#waiting.expire();
    // Nothing has run by a claim that did not come to be known: what was approved is to be claimed once more.
    if (this.#claims.isUnsure(approval)) return { ...approval, state: 'approved' };
    if (state === 'executing' && !this.#claims.has(id)) await this.abandon();
    return this.#existing(id);
  }

  async #existing(id: string): Promise<Approval> {
    const approval = await this.#store.get(id);
    if (approval === undefined) throw policyStoreError('Cannot read an approval', 'it is not there any more');
    return approval;
  }

  /** Each request is shown once at a time, however many ask for it. */
  #show(approval: Approval, isNew: boolean): Promise<void> {
    const { id } = approval;
    const before = this.#showing.get(id);
    if (before !== undefined) return before;
    const showing = this.#showNow(approval, isNew).finally(() => this.#showing.delete(id));
    this.#showing.set(id, showing);
    return showing;
  }

  async #showNow(approval: Approval, isNew: boolean): Promise<void> {
    let current = approval;
    const left = approval.createdAt + this.#sendMs - Date.now();
    if (!isNew && this.#store.isShared && left > 0 && this.#outlets.missing(approval).length > 0) {
      // Another process may be showing it just now.
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, this.#sendMs)));
      current = await this.#existing(approval.id);
      if (current.state !== 'pending') return;
    }
    try {
      const preview = previewOf(current, this.#redactor);
      if (preview.digest !== current.previewDigest) {
        throw policyStoreError('Cannot show a request again', 'it would not look as it did when it was recorded');
      }
      await this.#outlets.show(current, preview);
    } catch (error) {
      await this.#end(current.id, ['pending']);
      throw error;
    }
  }

  async #end(id: string, from: readonly ApprovalState[], kept: Omit<Transition, 'at'> = {}): Promise<void> {
    const ended = await this.#store.move(id, from, 'cancelled', { ...kept, at: Date.now() });
    if (ended !== undefined) this.#over(ended);
  }

  /** It is not pending any more, by our own doing. */
  #over(approval: Approval): void {
    this.#waiting.wake(approval);
    this.#outlets.update(approval);
  }

  #redacted(approval: Approval): Approval {
    return redactedApproval(approval, this.#redactor);
  }

  #warn(what: string, error: unknown): void {
    const code = (error as ObserverError | undefined)?.code;
    const name = code ?? (error instanceof Error ? error.name : 'a failure');
    this.#options.onWarning?.(`Approvals: ${what}: ${name}`);
  }
}
