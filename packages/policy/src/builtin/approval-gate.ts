import { configError, kindOf } from '../hooks/config-error.js';
import type { ApprovalTerms, HookAnswer, HookContext } from '../hooks/hook.js';
import { BuiltinHook, type BuiltinSettings } from './builtin-hook.js';

export interface ApprovalGateOptions extends BuiltinSettings, Omit<ApprovalTerms, 'title'> {
  /** Whether a person has to approve, where the matcher is not enough. @default each call that matches */
  readonly when?: ((context: HookContext) => boolean | Promise<boolean>) | undefined;
  /** One line for the person who decides. */
  readonly title?: string | ((context: HookContext) => string) | undefined;
}

const TERMS = ['expiresMs', 'approvers', 'channels', 'requesterMayApprove', 'remember'] as const;

/** A person has to approve the calls that match. */
export class ApprovalGate extends BuiltinHook {
  readonly #when: ApprovalGateOptions['when'];
  readonly #title: ApprovalGateOptions['title'];
  readonly #terms: ApprovalTerms;

  /** @throws ObserverError `HO_POLICY_CONFIG`. */
  constructor(options: ApprovalGateOptions = {}) {
    super('ApprovalGate', 'PreToolUse', options, ['when', 'title', ...TERMS]);
    const { when, title, expiresMs, approvers, channels, requesterMayApprove, remember } = options;
    const check = (isGood: boolean, field: string, what: string, value: unknown) => {
      if (!isGood) throw configError(`\`${field}\` of ${this.name} must be ${what}, got ${kindOf(value)}.`);
    };
    check(when === undefined || typeof when === 'function', 'when', 'a function', when);
    check(title === undefined || typeof title === 'function' || isName(title), 'title', 'a text or a function', title);
    check(
      expiresMs === undefined || (typeof expiresMs === 'number' && expiresMs > 0),
      'expiresMs',
      'a number of milliseconds',
      expiresMs,
    );
    // Nobody could approve, or everybody: neither is what an empty list is for.
    check(approvers === undefined || areNames(approvers), 'approvers', 'a list of `<channel>:<id>`', approvers);
    for (const approver of approvers ?? [])
      check(/^[^:]+:./.test(approver), 'approvers', 'a list of `<channel>:<id>`', approver);
    check(channels === undefined || areNames(channels), 'channels', 'a list of names', channels);
    check(
      requesterMayApprove === undefined || typeof requesterMayApprove === 'boolean',
      'requesterMayApprove',
      'true or false',
      requesterMayApprove,
    );
    check(
      remember === undefined ||
        (typeof remember === 'object' && remember !== null && areNames(remember.scopes) && remember.maxMs > 0),
      'remember',
      '`{ scopes, maxMs }`',
      remember,
    );
    this.#when = when;
    this.#title = title;
    const terms: Record<string, unknown> = {};
    for (const key of TERMS) if (options[key] !== undefined) terms[key] = options[key];
    this.#terms = terms;
  }

  execute(context: HookContext): HookAnswer | Promise<HookAnswer> {
    if (this.#when === undefined) return this.#ask(context);
    const needed: unknown = this.#when(context);
    return needed instanceof Promise
      ? needed.then((value: unknown) => this.#answer(value, context))
      : this.#answer(needed, context);
  }

  #answer(needed: unknown, context: HookContext): HookAnswer {
    // Nothing that merely looks like a no lets a call through.
    if (typeof needed !== 'boolean') throw new TypeError('`when` gave neither true nor false');
    return needed ? this.#ask(context) : undefined;
  }

  #ask(context: HookContext): HookAnswer {
    const title = typeof this.#title === 'function' ? this.#title(context) : this.#title;
    return { ask: title === undefined ? this.#terms : { title, ...this.#terms } };
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';
const areNames = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isName);
