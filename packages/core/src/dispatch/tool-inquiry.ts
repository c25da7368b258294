import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { failureReason, fieldsOf, textOf } from './inquiry.js';
import { freezeDeep, isPlain, privateCopy } from './private-copy.js';
import type { FailedAnswer } from './time-limit.js';

export type ToolArgs = Record<string, unknown>;

/** What a responder of `pre_tool_call` may return. Nothing, or anything else, is no opinion. */
export type ToolDirective =
  | { action: 'block'; message: string }
  | { action: 'approve'; message?: string; rule_key?: string }
  | { action: 'modify'; args: ToolArgs };

export interface ToolDecision {
  /** `approve`: run it only after a person said yes; the hub asks nobody. */
  decision: 'allow' | 'block' | 'approve';
  /** What to run: the caller's own object, or a new one where a responder changed it. */
  args: ToolArgs;
  /** Why it is blocked, or what to tell the person who approves. */
  reason?: string;
  /** Of a block. `denied`: a responder said so; else it gave no answer, and a guard that cannot decide blocks. */
  kind?: 'denied' | FailedAnswer;
  /** Of an approval: key to remember the answer by. The caller's default is the tool's name. */
  ruleKey?: string;
  /** Names of the responders that decided: who blocked; else who asks for approval; else who changed the arguments. */
  by: string[];
}

const HOOK = 'pre_tool_call';

/**
 * Any block wins over any approval, whatever the order; changes add up, a later one wins for a key. Each responder sees
 * a frozen copy of the arguments as changed so far. A block without a message is no valid directive.
 */
export class ToolInquiry implements Inquiry<ToolDecision> {
  readonly #payload: Payload;
  #args: ToolArgs;
  #view: Payload | undefined;
  #blocked: ToolDecision | undefined;
  #approval: { reason: string | undefined; ruleKey: string | undefined } | undefined;
  readonly #approvers: string[] = [];
  readonly #modifiers: string[] = [];

  constructor(payload: Payload) {
    this.#payload = payload;
    const args: unknown = payload.args;
    this.#args = typeof args === 'object' && args !== null ? (args as ToolArgs) : {};
  }

  payload(): Payload {
    this.#view ??= Object.freeze({ ...this.#payload, args: freezeDeep(privateCopy(this.#args)) });
    return this.#view;
  }

  take(answer: unknown, responder: string): Taken {
    const directive = fieldsOf(answer);
    switch (directive.action) {
      case 'block':
        return this.#block(textOf(directive.message), responder);
      case 'approve':
        this.#approval ??= { reason: textOf(directive.message), ruleKey: textOf(directive.rule_key) };
        this.#approvers.push(responder);
        return 'next';
      case 'modify':
        return this.#modify(directive.args, responder);
      case 'allow':
        return 'next';
      default:
        return 'malformed';
    }
  }

  fail(kind: FailedAnswer, responder: string, error: unknown): Taken {
    const reason = failureReason(HOOK, kind, responder, error);
    this.#blocked = { decision: 'block', args: this.#args, reason, kind, by: [responder] };
    return 'decided';
  }

  result(): ToolDecision {
    if (this.#blocked !== undefined) return this.#blocked;
    if (this.#approval === undefined) return { decision: 'allow', args: this.#args, by: this.#modifiers };
    const { reason, ruleKey } = this.#approval;
    return {
      decision: 'approve',
      args: this.#args,
      ...(reason === undefined ? {} : { reason }),
      ...(ruleKey === undefined ? {} : { ruleKey }),
      by: this.#approvers,
    };
  }

  #block(reason: string | undefined, responder: string): Taken {
    if (reason === undefined) return 'malformed';
    this.#blocked = { decision: 'block', args: this.#args, reason, kind: 'denied', by: [responder] };
    return 'decided';
  }

  #modify(changes: unknown, responder: string): Taken {
    if (!isPlain(changes) || Object.keys(changes).length === 0) return 'malformed';
    // Copied, so that the responder cannot change afterwards what later ones and a person have seen.
    this.#args = { ...this.#args, ...privateCopy(changes) };
    this.#view = undefined;
    this.#modifiers.push(responder);
    return 'next';
  }
}
