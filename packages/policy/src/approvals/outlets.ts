import { ObserverError, type Redactor } from '@hermes-observer/core';
import { sha256 } from '../call/sha256.js';
import type { BaseChannel } from '../channels/base-channel.js';
import type { ApprovalStore } from '../stores/approval-store.js';
import type { Approval, MessageRef } from './approval.js';
import { cardOf, type Preview, redactedApproval } from './card.js';
import { randomToken } from './token.js';
import { withinTime } from './within-time.js';

export interface OutletCounts {
  /** Cards that a channel did not take, and changes of a card that it did not. */
  readonly sendFailures: number;
  readonly updateFailures: number;
}

export interface OutletOptions {
  readonly store: ApprovalStore;
  readonly channels: readonly BaseChannel[];
  readonly redactor: Redactor;
  readonly sendMs: number;
  readonly link: (approval: Approval) => string | undefined;
  /** Why a channel did not take something; never with content. */
  readonly onFailure: (channel: string, error: unknown) => void;
}

/** Brings requests to all of their channels at once, and later what became of them. */
export class Outlets {
  readonly #options: OutletOptions;
  /** What this process shows on channels that forget, by request: no other process can change that. */
  readonly #shownHere = new Map<string, MessageRef[]>();
  readonly #updates = new Set<Promise<unknown>>();
  readonly #counts = { sendFailures: 0, updateFailures: 0 };

  constructor(options: OutletOptions) {
    this.#options = options;
  }

  get counts(): OutletCounts {
    return { ...this.#counts };
  }

  /** Channels of a request that do not show it. */
  missing({ id, channels, messages }: Approval): string[] {
    return channels.filter((name) => {
      if (!messages.some(({ channel }) => channel === name)) return true;
      const forgets = this.#channel(name)?.forgets === true;
      return forgets && !this.#shownHere.get(id)?.some(({ channel }) => channel === name);
    });
  }

  /**
   * Shows it where it is not shown. One channel that is down does not keep others from it.
   * @throws ObserverError `HO_POLICY_CHANNEL` when it is shown nowhere.
   */
  async show(approval: Approval, preview: Preview): Promise<void> {
    const missing = this.missing(approval);
    const results = await Promise.allSettled(missing.map((name) => this.#send(name, approval, preview)));
    const reached = results.some(({ status }) => status === 'fulfilled');
    if (reached || approval.channels.some((name) => !missing.includes(name))) return;
    const reasons = results.map((result, i) =>
      result.status === 'rejected' ? `${missing[i]}: ${messageOf(result.reason)}` : '',
    );
    const why = missing.length === 0 ? 'no channel is configured' : reasons.join('; ');
    throw new ObserverError('HO_POLICY_CHANNEL', `Nobody could be asked: ${why}`);
  }

  /** Shows everywhere what became of it. Nobody waits for that; a failure is counted. */
  update(approval: Approval): void {
    this.#shownHere.delete(approval.id);
    this.#updateAt(approval.messages, approval);
  }

  /** A request may have changed by another process: '' for any. What it shows is changed there, but for what is shown here alone. */
  heard(id: string): void {
    const ids = id === '' ? [...this.#shownHere.keys()] : this.#shownHere.has(id) ? [id] : [];
    for (const one of ids) this.#lookAt(one).catch((error: unknown) => this.#options.onFailure('', error));
  }

  async #lookAt(id: string): Promise<void> {
    const approval = await this.#options.store.get(id);
    const refs = this.#shownHere.get(id);
    if (approval === undefined || approval.state === 'pending' || refs === undefined) return;
    this.#shownHere.delete(id);
    this.#updateAt(refs, approval);
  }

  #updateAt(refs: readonly MessageRef[], approval: Approval): void {
    const shown = redactedApproval(approval, this.#options.redactor);
    for (const ref of refs) {
      const done = this.#update(ref, shown).finally(() => this.#updates.delete(done));
      this.#updates.add(done);
    }
  }

  /** Waits for what is on its way, and closes the channels. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#updates]);
    for (const channel of this.#options.channels) {
      try {
        await channel.close?.();
      } catch (error) {
        this.#options.onFailure(channel.name, error);
      }
    }
  }

  #channel(name: string): BaseChannel | undefined {
    return this.#options.channels.find((channel) => channel.name === name);
  }

  async #send(name: string, approval: Approval, preview: Preview): Promise<void> {
    const { redactor, link, sendMs, onFailure } = this.#options;
    const token = randomToken();
    try {
      const channel = this.#channel(name);
      if (channel === undefined) throw new Error('there is no such channel');
      const card = cardOf(approval, preview, redactor, token, link(approval));
      const sent = Promise.resolve(channel.send(card)).then((ref) => this.#sent(name, approval.id, ref, token));
      // One that arrives late is shown all the same, and may be answered.
      sent.catch(() => undefined);
      await withinTime(sent, sendMs, 'sending it');
    } catch (error) {
      this.#counts.sendFailures++;
      onFailure(name, error);
      throw error;
    }
  }

  async #sent(name: string, id: string, ref: Omit<MessageRef, 'channel'>, token: string): Promise<void> {
    const { tenant, chat, message } = ref;
    if (![tenant, chat, message].every((part) => typeof part === 'string')) {
      throw new Error('it does not say where it was shown');
    }
    const shown = { channel: name, tenant, chat, message };
    if (this.#channel(name)?.forgets === true) this.#shownHere.set(id, [...(this.#shownHere.get(id) ?? []), shown]);
    await this.#options.store.shown(id, shown, sha256(token));
  }

  async #update(ref: MessageRef, approval: Approval): Promise<void> {
    try {
      const channel = this.#channel(ref.channel);
      if (channel === undefined) throw new Error('there is no such channel');
      await withinTime(Promise.resolve(channel.update(ref, approval)), this.#options.sendMs, 'changing it');
    } catch (error) {
      this.#counts.updateFailures++;
      this.#options.onFailure(ref.channel, error);
    }
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
