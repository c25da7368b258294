import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { failureReason, fieldsOf, refusalReason, textOf } from './inquiry.js';
import { freezeDeep, isPlain, privateCopy } from './private-copy.js';
import type { FailedAnswer } from './time-limit.js';

export type ToolArgs = Record<string, unknown>;

/** What a responder of `pre_tool_call` may return. Nothing is no opinion; anything else blocks. */
export type ToolDirective =
  | { action: 'block'; message: string }
  | { action: 'approve'; message?: string; rule_key?: string }
  | { action: 'modify'; args: ToolArgs }
  | { action: 'allow' };

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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Any block wins over any approval, whatever the order; changes add up, a later one wins for a key. Each responder sees
 * a frozen copy of the arguments as changed so far. An answer of no known shape blocks as well, a block without a message
 * among them: somebody meant something by it.
 */
export class ToolInquiry implements Inquiry<ToolDecision> {
  readonly #payload: Payload;
  /** As the caller gave them: no object, maybe. */
  readonly #given: unknown;
  #args: ToolArgs;
  #view: Payload | undefined;
  #blocked: ToolDecision | undefined;
  #approval: { reason: string | undefined; ruleKey: string | undefined } | undefined;
  readonly #approvers: string[] = [];
  readonly #modifiers: string[] = [];

  constructor(payload: Payload) {
    this.#payload = payload;
    this.#given = payload.args;
    this.#args = isObject(this.#given) ? (this.#given as ToolArgs) : {};
  }

  payload(): Payload {
    if (this.#view === undefined) {
      const args = isObject(this.#given) || this.#modifiers.length > 0 ? this.#args : this.#given;
      this.#view = Object.freeze({ ...this.#payload, args: freezeDeep(privateCopy(args)) });
    }
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

  fail(kind: FailedAnswer, responder: string): Taken {
    return this.#decide(failureReason(HOOK, kind, responder), kind, responder);
  }

  refuse(responder: string): Taken {
    return this.#decide(refusalReason(HOOK, responder), 'hook_error', responder);
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
    return reason === undefined ? 'malformed' : this.#decide(reason, 'denied', responder);
  }

  #decide(reason: string, kind: 'denied' | FailedAnswer, responder: string): Taken {
    this.#blocked = { decision: 'block', args: this.#args, reason, kind, by: [responder] };
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
