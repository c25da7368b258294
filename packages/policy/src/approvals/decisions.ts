import type { ChannelDecision, DecisionOutcome, RememberWish } from '../channels/base-channel.js';
import type { ApprovalStore } from '../stores/approval-store.js';
import type { Approval, Decider } from './approval.js';
import { faultOfAnswer, faultOfOrigin, type Refusal, type RefusalKind, standingOf } from './check-answer.js';
import type { IsRequester } from './may-decide.js';
import { rememberedOf } from './remembering.js';

const LONGEST_COMMENT = 2_000;
/** A person can be faster than the store: a card may be answered before it is known where it was shown. */
const EARLY_MS = 2_000;
const EARLY_STEP_MS = 50;

/** What a person says, and who they are. */
export type Answer = Pick<ChannelDecision, 'choice' | 'decider' | 'comment' | 'remember'>;

interface DecisionsOptions {
  readonly store: ApprovalStore;
  readonly isRequester: IsRequester;
  readonly redacted: (approval: Approval) => Approval;
  readonly onDecided: (approval: Approval) => void;
  readonly onExpired: () => Promise<void>;
  readonly onFailure: (what: string, error: unknown) => void;
}

const UNKNOWN: Refusal = { kind: 'unknown', text: 'There is no such request.' };
const NOBODY: Refusal = { kind: 'source', text: 'It is not known who answers.' };
const NOT_WRITTEN: Refusal = {
  kind: 'store',
  text: 'It could not be written down, so nothing was decided. Try again.',
};

/** Checks answers and lets one of them decide. Never throws for what an answer says, nor for a store that fails. */
export class Decisions {
  readonly #options: DecisionsOptions;
  readonly #refused: Partial<Record<RefusalKind, number>> = {};

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /** Answers that were refused, by what was wrong with them. */
  get refused(): Readonly<Partial<Record<RefusalKind, number>>> {
    return { ...this.#refused };
  }

  /** Of a channel, where the request was shown. */
  decide(channel: string, decision: ChannelDecision, now: number): Promise<DecisionOutcome> {
    return this.#closed(async () => {
      const approval = await this.#shownOn(channel, String(decision.approvalId));
      if (approval === undefined) return this.#refuse(UNKNOWN, undefined);
      const fault =
        faultOfOrigin(approval, channel, decision) ?? (decision.decider.channel === channel ? undefined : NOBODY);
      // To whom the request was not shown, nothing of it is shown here either.
      if (fault !== undefined) return this.#refuse(fault, undefined);
      return this.#decide(approval, decision, now);
    });
  }

  /** Of somebody who has access to the store itself. */
  decideHere(id: string, answer: Answer): Promise<DecisionOutcome> {
    return this.#closed(async () => {
      const approval = await this.#options.store.get(id);
      return approval === undefined ? this.#refuse(UNKNOWN, undefined) : this.#decide(approval, answer, Date.now());
    });
  }

  async #closed(work: () => Promise<DecisionOutcome>): Promise<DecisionOutcome> {
    try {
      return await work();
    } catch (error) {
      this.#options.onFailure('a decision', error);
      return this.#refuse(NOT_WRITTEN, undefined);
    }
  }

  async #decide(approval: Approval, answer: Answer, now: number): Promise<DecisionOutcome> {
    const { store, isRequester, redacted, onDecided, onExpired } = this.#options;
    const fault = faultOfAnswer(approval, answer, now, isRequester);
    if (fault?.kind === 'expired') await onExpired();
    if (fault !== undefined) return this.#refuse(fault, approval);
    const { choice, comment = '', remember } = answer;
    const decider = { channel: answer.decider.channel, id: answer.decider.id };
    const to = choice === 'approve' ? 'approved' : 'rejected';
    const change = { at: now, decider, comment: comment.slice(0, LONGEST_COMMENT) };
    const decided = await store.move(approval.id, ['pending'], to, change);
    if (decided === undefined) {
      const winner = (await store.get(approval.id)) ?? approval;
      return this.#refuse({ kind: 'state', text: standingOf(winner) }, winner);
    }
    onDecided(decided);
    const isRemembered = remember !== undefined && choice === 'approve';
    const text = isRemembered ? await this.#remember(decided, remember, decider, now) : '';
    return {
      ok: true,
      text: `${choice === 'approve' ? 'Approved.' : 'Rejected.'}${text}`,
      approval: redacted(decided),
    };
  }

  /** What cannot be remembered is asked again: the answer itself holds. */
  async #remember(approval: Approval, wish: RememberWish, decider: Decider, now: number): Promise<string> {
    try {
      const entry = rememberedOf(approval, wish, decider, now);
      await this.#options.store.remember(entry);
      return ` Remembered until ${new Date(entry.expiresAt).toISOString()}.`;
    } catch (error) {
      this.#options.onFailure('remembering an answer', error);
      return ' It could not be remembered.';
    }
  }

  #refuse({ kind, text }: Refusal, approval: Approval | undefined): DecisionOutcome {
    this.#refused[kind] = (this.#refused[kind] ?? 0) + 1;
    return { ok: false, text, approval: approval === undefined ? undefined : this.#options.redacted(approval) };
  }

  /** As it is once it is known where the channel shows it. */
  async #shownOn(channel: string, id: string): Promise<Approval | undefined> {
    const until = Date.now() + EARLY_MS;
    for (;;) {
      const approval = await this.#options.store.get(id);
      const isEarly = approval?.state === 'pending' && !approval.messages.some((shown) => shown.channel === channel);
      if (!isEarly || !approval.channels.includes(channel) || Date.now() > until) return approval;
      await new Promise((resolve) => setTimeout(resolve, EARLY_STEP_MS));
    }
  }
}
