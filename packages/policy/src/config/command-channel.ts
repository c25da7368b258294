import type { Approval, MessageRef } from '../approvals/approval.js';
import type { ApprovalCard, BaseChannel } from '../channels/base-channel.js';

/**
 * Requests that are answered by a command on this machine. It shows nothing by itself but one line for whoever runs the
 * service: whoever may answer asks what is pending.
 */
export class CommandChannel implements BaseChannel {
  readonly name: string;
  /** The line that tells of a request is gone with the output of its process: the next one prints it again. */
  readonly forgets = true;
  readonly #notice: (text: string) => void;
  readonly #commandOf: (id: string) => string;

  /** @param commandOf what is typed to answer a request */
  constructor(name: string, notice: (text: string) => void, commandOf: (id: string) => string) {
    this.name = name;
    this.#notice = notice;
    this.#commandOf = commandOf;
  }

  async send({ approval }: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    this.#notice(`${approval.tool} waits for an answer: ${this.#commandOf(approval.id)}`);
    return { tenant: '', chat: '', message: approval.id };
  }

  async update(_: MessageRef, { state }: Approval): Promise<void> {
    if (state === 'expired') this.#notice('A request was not answered in time: it counts as not approved.');
  }
}
