import { isDeepStrictEqual } from 'node:util';
import type { Payload } from '../contract/record.js';
import type { Inquiry, Taken } from './inquiry.js';
import { failureReason, fieldsOf, refusalReason, textOf } from './inquiry.js';
import { frozenCopy, isPlain, privateCopy } from './private-copy.js';
import type { FailedAnswer } from './time-limit.js';

export type ToolArgs = Record<string, unknown>;

/** What a responder of `pre_tool_call` may return. Nothing is no opinion; anything else blocks. */
export type ToolDirective =
  | { action: 'block'; message: string; kind?: ToolBlockKind }
  | { action: 'approve'; message?: string; rule_key?: string }
  /** `exact`: run these and no others. They replace all arguments, as a frozen copy; whoever changes them after that blocks. */
  | { action: 'modify'; args: ToolArgs; exact?: boolean }
  | { action: 'allow' };

const BLOCK_KINDS = [
  'denied',
  'expired',
  'hook_error',
  'hook_timeout',
  'config_error',
  'cancelled',
  'outcome_unknown',
  'already_run',
  'pending',
] as const;

/**
 * Why a responder blocks. `denied`: it, or a person it asked, said no; `expired`: no person answered in time; `pending`: none
 * has answered yet; `cancelled`: the question was called off; `outcome_unknown`, `already_run`: the very same call was begun,
 * or has run, before. The others say that it could not decide.
 */
export type ToolBlockKind = (typeof BLOCK_KINDS)[number];

export interface ToolDecision {
  /** `approve`: run it only after a person said yes; the hub asks nobody. */
  decision: 'allow' | 'block' | 'approve';
  /** What to run: the caller's own object, or a new one where a responder changed it; frozen where one fixed it. */
  args: ToolArgs;
  /** Why it is blocked, or what to tell the person who approves. */
  reason?: string;
  /** Of a block. `denied`: a responder said so, unless it gives another kind; else it gave no answer, and a guard that cannot decide blocks. */
  kind?: ToolBlockKind | FailedAnswer;
  /** Of an approval: key to remember the answer by. The caller's default is the tool's name. */
  ruleKey?: string;
  /** Names of the responders that decided: who blocked; else who asks for approval; else who changed the arguments. */
  by: string[];
}

const HOOK = 'pre_tool_call';

const isBlockKind = (value: unknown): value is ToolBlockKind => (BLOCK_KINDS as readonly unknown[]).includes(value);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Any block wins over any approval, whatever the order; changes add up, a later one wins for a key, until one fixes them
 * all. Each responder sees
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
  /** Who fixed the arguments. */
  #fixedBy: string | undefined;

  constructor(payload: Payload) {
    this.#payload = payload;
    this.#given = payload.args;
    this.#args = isObject(this.#given) ? (this.#given as ToolArgs) : {};
  }

  payload(): Payload {
    if (this.#view === undefined) {
      const args = isObject(this.#given) || this.#modifiers.length > 0 ? this.#args : this.#given;
      const seen = this.#fixedBy === undefined ? frozenCopy(args) : args;
      this.#view = Object.freeze({ ...this.#payload, args: seen });
    }
    return this.#view;
  }

  take(answer: unknown, responder: string): Taken {
    const directive = fieldsOf(answer);
    switch (directive.action) {
      case 'block':
        return this.#block(textOf(directive.message), directive.kind, responder);
      case 'approve':
        this.#approval ??= { reason: textOf(directive.message), ruleKey: textOf(directive.rule_key) };
        this.#approvers.push(responder);
        return 'next';
      case 'modify':
        return this.#modify(directive.args, directive.exact, responder);
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

  #block(reason: string | undefined, kind: unknown, responder: string): Taken {
    if (reason === undefined || (kind !== undefined && !isBlockKind(kind))) return 'malformed';
    return this.#decide(reason, kind ?? 'denied', responder);
  }

  #decide(reason: string, kind: ToolBlockKind | FailedAnswer, responder: string): Taken {
    this.#blocked = { decision: 'block', args: this.#args, reason, kind, by: [responder] };
    return 'decided';
  }

  #modify(changes: unknown, exact: unknown, responder: string): Taken {
    if (this.#fixedBy !== undefined) {
      // Several policies fix the same arguments each.
      if (exact === true && isDeepStrictEqual(changes, this.#args)) return 'next';
      const reason = `${HOOK} guard ${responder} changed arguments that ${this.#fixedBy} had fixed`;
      return this.#decide(reason, 'hook_error', responder);
    }
    if (exact === true) return this.#fix(changes, responder);
    if (exact !== undefined && exact !== false) return 'malformed';
    if (!isPlain(changes) || Object.keys(changes).length === 0) return 'malformed';
    // Copied, so that the responder cannot change afterwards what later ones and a person have seen.
    this.#args = { ...this.#args, ...privateCopy(changes) };
    this.#view = undefined;
    this.#modifiers.push(responder);
    return 'next';
  }

  #fix(args: unknown, responder: string): Taken {
    if (!isPlain(args) && !Array.isArray(args)) return 'malformed';
    this.#args = frozenCopy(args as ToolArgs);
    this.#fixedBy = responder;
    this.#view = undefined;
    this.#modifiers.push(responder);
    return 'next';
  }
}
