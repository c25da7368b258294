import type { CompiledMatcher } from './compile-matcher.js';
import { compileMatcher } from './compile-matcher.js';
import { checkName, configError, kindOf } from './config-error.js';
import type { HookEvent, HookMode, PolicyHook } from './hook.js';
import { nearest } from './nearest.js';

/** A hook as it was when it was registered: its fields were checked, and changing the object changes nothing. */
export interface RegisteredHook {
  readonly name: string;
  readonly event: HookEvent;
  readonly priority: number;
  readonly matcher: CompiledMatcher;
  readonly modifies: boolean;
  readonly mode: HookMode;
  readonly onError: 'block' | 'allow';
  readonly timeoutMs: number;
  readonly exemptRoles: ReadonlySet<string>;
  readonly version: string | undefined;
  readonly shouldTrigger: PolicyHook['shouldTrigger'];
  readonly execute: PolicyHook['execute'];
  readonly concluded: PolicyHook['concluded'];
  readonly answered: PolicyHook['answered'];
  readonly learnsApprover: boolean;
  readonly close: PolicyHook['close'];
}

const DEFAULT_PRIORITY = 50;
const DEFAULT_TIMEOUT_MS = 30_000;

const FIELDS = [
  'name',
  'event',
  'priority',
  'matcher',
  'modifies',
  'mode',
  'onError',
  'timeoutMs',
  'exemptRoles',
  'version',
  'shouldTrigger',
  'execute',
  'concluded',
  'answered',
  'learnsApprover',
  'close',
] as const satisfies readonly (keyof PolicyHook)[];

const EVENTS: readonly HookEvent[] = ['SessionStart', 'PreToolUse', 'PostToolUse'];

/** Throws `HO_POLICY_CONFIG` that names the hook, the field, and the nearest name there is. */
export function registerHook(hook: PolicyHook, position: number): RegisteredHook {
  if (typeof hook !== 'object' || hook === null)
    throw configError(`Hook ${position} must be an object, got ${kindOf(hook)}.`);
  const { name } = hook;
  if (typeof name !== 'string' || name === '' || name.length > 128) {
    throw configError(`Hook ${position} needs a \`name\` of at most 128 characters, got ${kindOf(name)}.`);
  }
  const where = `hook \`${name}\``;
  checkFieldNames(hook, where);
  const event = oneOf(hook.event, EVENTS, 'event', where);
  const { modifies, exemptRoles, version, learnsApprover } = hook;
  if (typeof hook.execute !== 'function')
    throw configError(`The ${where} needs a function \`execute\`, got ${kindOf(hook.execute)}.`);
  if (modifies !== undefined && typeof modifies !== 'boolean')
    throw configError(`\`modifies\` of ${where} must be true or false.`);
  if (modifies === true && event !== 'PreToolUse')
    throw configError(`\`modifies\` of ${where} is for PreToolUse alone.`);
  if (learnsApprover !== undefined && typeof learnsApprover !== 'boolean')
    throw configError(`\`learnsApprover\` of ${where} must be true or false.`);
  if (version !== undefined && typeof version !== 'string')
    throw configError(`\`version\` of ${where} must be a text.`);
  if (event === 'SessionStart' && (hook.matcher?.tool !== undefined || hook.matcher?.args !== undefined)) {
    throw configError(`The matcher of ${where} asks for a tool, and SessionStart has none.`);
  }
  if (
    exemptRoles !== undefined &&
    (!Array.isArray(exemptRoles) || !exemptRoles.every((role) => typeof role === 'string' && role !== ''))
  ) {
    throw configError(`\`exemptRoles\` of ${where} must be a list of names.`);
  }
  const bound = <K extends 'shouldTrigger' | 'concluded' | 'answered' | 'close'>(key: K): PolicyHook[K] => {
    const method = hook[key];
    if (method === undefined) return undefined;
    if (typeof method !== 'function')
      throw configError(`\`${key}\` of ${where} must be a function, got ${kindOf(method)}.`);
    return (method as (...args: never) => unknown).bind(hook) as PolicyHook[K];
  };
  const [concluded, answered] = [bound('concluded'), bound('answered')];
  if (event !== 'PreToolUse' && (concluded ?? answered) !== undefined) {
    const field = concluded === undefined ? 'answered' : 'concluded';
    throw configError(`\`${field}\` of ${where} is for PreToolUse alone.`);
  }
  return {
    name,
    event,
    priority: numberOf(hook.priority ?? DEFAULT_PRIORITY, 'priority', where, Number.NEGATIVE_INFINITY),
    matcher: compileMatcher(hook.matcher, where),
    modifies: modifies ?? false,
    mode: oneOf(hook.mode ?? 'enforce', ['enforce', 'observe'], 'mode', where),
    onError: oneOf(hook.onError ?? 'block', ['block', 'allow'], 'onError', where),
    timeoutMs: numberOf(hook.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'timeoutMs', where, 0),
    exemptRoles: new Set(exemptRoles ?? []),
    version,
    shouldTrigger: bound('shouldTrigger'),
    execute: hook.execute.bind(hook),
    concluded,
    answered,
    learnsApprover: learnsApprover ?? false,
    close: bound('close'),
  };
}

/** Of an object all fields have to be known. A class may have its own, unless they look like one of ours misspelt. */
function checkFieldNames(hook: PolicyHook, where: string): void {
  const prototype: unknown = Object.getPrototypeOf(hook);
  if (prototype === Object.prototype || prototype === null) {
    for (const field of Object.keys(hook)) checkName(field, FIELDS, `The ${where}`);
    return;
  }
  for (const field of fieldsOfClass(hook)) {
    if ((FIELDS as readonly string[]).includes(field)) continue;
    const near = nearest(field, FIELDS);
    const isSlip =
      near !== undefined && Math.abs(near.length - field.length) <= 1 && hook[near as keyof PolicyHook] === undefined;
    if (isSlip) throw configError(`The ${where} has no field \`${field}\`. Did you mean \`${near}\`?`);
  }
}

function fieldsOfClass(hook: object): string[] {
  const fields: string[] = [];
  for (
    let level: object | null = hook;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  ) {
    fields.push(...Object.getOwnPropertyNames(level));
  }
  return fields;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], field: string, where: string): T {
  if (allowed.includes(value as T)) return value as T;
  const near = typeof value === 'string' ? nearest(value, allowed) : undefined;
  const hint = near === undefined ? ` It is one of: ${allowed.join(', ')}.` : ` Did you mean \`${near}\`?`;
  throw configError(`\`${field}\` of ${where} cannot be ${kindOf(value)}.${hint}`);
}

function numberOf(value: unknown, field: string, where: string, least: number): number {
  if (typeof value === 'number' && !Number.isNaN(value) && value >= least) return value;
  throw configError(
    `\`${field}\` of ${where} must be a number${least === 0 ? ' of milliseconds' : ''}, got ${kindOf(value)}.`,
  );
}
