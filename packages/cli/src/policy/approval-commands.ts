import { ObserverError } from '@hermes-observer/core';
import type { Approval, Approvals, DecisionOutcome, RememberWish } from '@hermes-observer/policy';

type Fields = Readonly<Record<string, unknown>>;

/** Characters of arguments in one answer: a client that reads slowly must not be closed for it. */
export const PIECE = 200_000;
const MOST_LISTED = 200;

/** A request as a command gets it. `args` is one piece of `args_length` characters. */
export interface ShownApproval {
  readonly id: string;
  readonly [field: string]: unknown;
}

/**
 * What a command may do with approvals, for a service and without one. `channels` are those whose requests are answered by a
 * command, and who answers is this user, whatever the command says.
 */
export class ApprovalCommands {
  readonly #approvals: Approvals;
  readonly #channels: readonly string[];

  constructor(approvals: Approvals, channels: readonly string[]) {
    this.#approvals = approvals;
    this.#channels = channels;
  }

  /** @throws ObserverError `HO_REQUEST` for what is no operation, `HO_POLICY_STORE`. */
  async operate(operation: Fields): Promise<Fields> {
    switch (operation.action) {
      case 'pending': {
        const all = await this.#approvals.pending();
        return { pending: all.slice(0, MOST_LISTED).map((approval) => shown(approval)), total: all.length };
      }
      case 'get':
        return this.#get(textOf(operation, 'approval'), numberOf(operation.offset));
      case 'decide':
        return this.#decide(operation);
      case 'remembered':
        return { remembered: await this.#approvals.remembered() };
      case 'revoke':
        return { revoked: await this.#approvals.revoke(textOf(operation, 'remembered')) };
      default:
        throw new ObserverError('HO_REQUEST', 'unknown action: pending, get, decide, remembered or revoke');
    }
  }

  /** Whoever may run commands here. */
  static get user(): string {
    return String(process.getuid?.() ?? 'user');
  }

  async #get(id: string, offset: number): Promise<Fields> {
    const approval = await this.#approvals.get(id);
    if (approval === undefined) return { approval: null };
    return { approval: shown(approval, offset) };
  }

  async #decide(operation: Fields): Promise<Fields> {
    const id = textOf(operation, 'approval');
    const { choice, comment, remember } = operation;
    if (choice !== 'approve' && choice !== 'reject')
      throw new ObserverError('HO_REQUEST', 'choice is approve or reject');
    const approval = await this.#approvals.get(id);
    if (approval === undefined) return refused('There is no such request.');
    const channel = this.#channels.find((name) => approval.channels.includes(name));
    if (channel === undefined) {
      return refused(
        'It is not to be answered by a command: the policy has no channel `command`, or it is for other channels.',
      );
    }
    // What was looked at is what is decided.
    if (operation.digest !== approval.digest) return refused('Its digest is another one than that of what was shown.');
    const outcome = await this.#approvals.decideHere(id, {
      choice,
      decider: { channel, id: ApprovalCommands.user },
      ...(typeof comment === 'string' && comment !== '' ? { comment } : {}),
      ...(remember === undefined ? {} : { remember: remember as RememberWish }),
    });
    return outcomeOf(outcome);
  }
}

const refused = (text: string): Fields => ({ ok: false, text, state: null });

const outcomeOf = ({ ok, text, approval }: DecisionOutcome): Fields => ({ ok, text, state: approval?.state ?? null });

/** Without `offset`: without arguments. */
function shown(approval: Approval, offset?: number): ShownApproval {
  const { args, tokenHashes: _, idempotencyKey: _key, ...rest } = approval;
  const piece = offset === undefined ? {} : { args: args.slice(offset, offset + PIECE) };
  return { ...rest, ...piece, args_length: args.length };
}

function textOf(operation: Fields, name: string): string {
  const value = operation[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ObserverError('HO_REQUEST', `${name} is missing`);
}

const numberOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
