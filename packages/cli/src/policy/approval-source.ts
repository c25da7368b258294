import { ObserverError } from '@hermes-observer/core';
import { openApprovals, type PolicyPlan } from '@hermes-observer/policy/config';
import { ApprovalCommands } from './approval-commands.js';
import { operateService } from './service-client.js';

type Fields = Readonly<Record<string, unknown>>;

/** Approvals as commands reach them: through the service that runs, or else in the store, which then nobody has. */
export class ApprovalSource {
  readonly #socket: string;
  readonly #plan: () => Promise<PolicyPlan>;
  readonly #warn: (text: string) => void;

  constructor(socket: string, plan: () => Promise<PolicyPlan>, warn: (text: string) => void) {
    this.#socket = socket;
    this.#plan = plan;
    this.#warn = warn;
  }

  /** @throws ObserverError `HO_REQUEST`, `HO_POLICY_STORE`: another process has the store; `HO_POLICY_CONFIG`. */
  async operate(operation: Fields): Promise<Fields> {
    const answer = await operateService(this.#socket, operation);
    return answer ?? this.#inStore(operation);
  }

  /** One with all of its arguments. */
  async get(id: string): Promise<Fields | undefined> {
    let args = '';
    for (;;) {
      const { approval } = (await this.operate({ action: 'get', approval: id, offset: args.length })) as {
        approval: Fields | null;
      };
      if (approval === null) return undefined;
      const piece = String(approval.args);
      args += piece;
      if (args.length >= Number(approval.args_length)) return { ...approval, args };
      if (piece === '') throw new ObserverError('HO_REQUEST', 'the service gave a part of the arguments only');
    }
  }

  async #inStore(operation: Fields): Promise<Fields> {
    const plan = await this.#plan();
    const channels = plan.channels.filter(({ kind }) => kind === 'command').map(({ name }) => name);
    if (plan.channels.length === 0) {
      throw new ObserverError(
        'HO_POLICY_CONFIG',
        `${plan.document.file} has no channels: it asks nobody, and there are no approvals`,
      );
    }
    const approvals = await openApprovals(plan, [], this.#warn);
    try {
      return await new ApprovalCommands(approvals, channels).operate(operation);
    } finally {
      await approvals.close();
    }
  }
}
