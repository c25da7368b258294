import { type FrozenValue, frozenCopy } from '../call/canonical.js';
import type { ApprovalTerms, HookEvent, HookResult, RememberScope } from './hook.js';

/** What a hook said, as it was when it said it. Nothing of the hook's own objects is in it but `modifiedResult`. */
export interface ReadAnswer {
  readonly allow: boolean;
  readonly error: string | undefined;
  readonly ask: ApprovalTerms | undefined;
  /** A private copy. */
  readonly modifiedArgs: FrozenValue<Readonly<Record<string, unknown>>> | undefined;
  /** In an object, since it may be anything. */
  readonly modifiedResult: { readonly value: unknown } | undefined;
  readonly sideEffects: readonly string[];
}

const NO_OBJECTION: ReadAnswer = Object.freeze({
  allow: true,
  error: undefined,
  ask: undefined,
  modifiedArgs: undefined,
  modifiedResult: undefined,
  sideEffects: Object.freeze([]) as readonly string[],
});

const FIELDS: Readonly<Record<HookEvent, readonly (keyof HookResult)[]>> = {
  SessionStart: ['allow', 'error', 'sideEffects'],
  PreToolUse: ['allow', 'error', 'ask', 'modifiedArgs', 'sideEffects'],
  PostToolUse: ['allow', 'error', 'modifiedResult', 'sideEffects'],
};
const TERMS = ['title', 'expiresMs', 'approvers', 'channels', 'requesterMayApprove', 'remember'];
const SCOPES: readonly RememberScope[] = ['session', 'arguments', 'pattern'];
/** Side effects that are kept, and characters of each. */
const MOST_EFFECTS = 32;
const LONGEST_EFFECT = 1000;

/** Throws a `TypeError` that says what makes no sense; its text quotes nothing of the answer but names of fields. */
export function readAnswer(answer: unknown, event: HookEvent): ReadAnswer {
  if (answer === undefined || answer === null) return NO_OBJECTION;
  const fields = fieldsOf(answer, FIELDS[event], 'the answer');
  const { allow = true, error, ask, modifiedArgs, sideEffects } = fields;
  if (typeof allow !== 'boolean') throw new TypeError('`allow` is neither true nor false');
  if (error !== undefined && (typeof error !== 'string' || error.trim() === ''))
    throw new TypeError('`error` is no text');
  if (allow && error !== undefined) throw new TypeError('there is an `error`, and yet it allows');
  return {
    allow,
    error,
    ask: ask === undefined ? undefined : readTerms(ask),
    modifiedArgs: modifiedArgs === undefined ? undefined : readArgs(modifiedArgs),
    modifiedResult:
      Object.hasOwn(fields, 'modifiedResult') && fields.modifiedResult !== undefined
        ? { value: fields.modifiedResult }
        : undefined,
    sideEffects: readTexts(sideEffects ?? [], 'sideEffects', MOST_EFFECTS, true),
  };
}

/** A plain copy of an object's fields, each read once. */
function fieldsOf(value: unknown, known: readonly string[], what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${what} is no object`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError(`${what} is an object of a class`);
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key !== 'string' || !known.includes(key))
      throw new TypeError(`${what} has a field that is none: ${String(key).slice(0, 40)}`);
    fields[key] = (value as Record<string, unknown>)[key];
  }
  return fields;
}

function readArgs(value: unknown): FrozenValue<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('`modifiedArgs` is no object');
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError('`modifiedArgs` is an object of a class');
  return frozenCopy(value as Record<string, unknown>);
}

function readTerms(value: unknown): ApprovalTerms {
  const { title, expiresMs, approvers, channels, requesterMayApprove, remember } = fieldsOf(value, TERMS, '`ask`');
  if (title !== undefined && typeof title !== 'string') throw new TypeError('`ask.title` is no text');
  if (expiresMs !== undefined && !(typeof expiresMs === 'number' && expiresMs > 0))
    throw new TypeError('`ask.expiresMs` is no time');
  if (requesterMayApprove !== undefined && typeof requesterMayApprove !== 'boolean') {
    throw new TypeError('`ask.requesterMayApprove` is neither true nor false');
  }
  return {
    title,
    expiresMs,
    approvers: approvers === undefined ? undefined : readNames(approvers, 'ask.approvers'),
    channels: channels === undefined ? undefined : readNames(channels, 'ask.channels'),
    requesterMayApprove,
    remember: remember === undefined || remember === null ? undefined : readRemember(remember),
  };
}

function readRemember(value: unknown): NonNullable<ApprovalTerms['remember']> {
  const { scopes, maxMs } = fieldsOf(value, ['scopes', 'maxMs'], '`ask.remember`');
  if (!(typeof maxMs === 'number' && maxMs > 0)) throw new TypeError('`ask.remember.maxMs` is no time');
  const read = readNames(scopes, 'ask.remember.scopes');
  if (!read.every((scope) => (SCOPES as readonly string[]).includes(scope)))
    throw new TypeError('`ask.remember.scopes` has one that is none');
  return { scopes: read as readonly RememberScope[], maxMs };
}

/** An empty list would mean that nobody may, or that everybody may: neither is taken for the other. */
function readNames(value: unknown, what: string): readonly string[] {
  const names = readTexts(value, what, 1000, false);
  if (names.length === 0 || names.includes('')) throw new TypeError(`\`${what}\` is empty`);
  return names;
}

function readTexts(value: unknown, what: string, most: number, cut: boolean): readonly string[] {
  if (!Array.isArray(value)) throw new TypeError(`\`${what}\` is no list`);
  if (!cut && value.length > most) throw new TypeError(`\`${what}\` is too long`);
  const texts: string[] = [];
  for (let i = 0; i < value.length && i < most; i++) {
    const text: unknown = value[i];
    if (typeof text !== 'string') throw new TypeError(`\`${what}\` has what is no text`);
    texts.push(cut ? text.slice(0, LONGEST_EFFECT) : text);
  }
  return Object.freeze(texts);
}
