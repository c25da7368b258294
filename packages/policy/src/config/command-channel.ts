import type { Approval, MessageRef } from '../approvals/approval.js';
import type { ApprovalCard, BaseChannel } from '../channels/base-channel.js';

/**
 * Requests that are answered by a command on this machine. It shows nothing by itself but one line for whoever runs the
 * service: whoever may answer asks what is pending.
 */
export class CommandChannel implements BaseChannel {
  readonly name: string;
  readonly #notice: (text: string) => void;

  constructor(name: string, notice: (text: string) => void) {
    this.name = name;
    this.#notice = notice;
  }

  async send({ approval }: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    this.#notice(`${approval.tool} waits for an answer: hermes-observer policy approve ${approval.id}`);
    return { tenant: '', chat: '', message: approval.id };
  }

  async update(_: MessageRef, { state }: Approval): Promise<void> {
    if (state === 'expired') this.#notice('A request was not answered in time: it counts as not approved.');
  }
}
