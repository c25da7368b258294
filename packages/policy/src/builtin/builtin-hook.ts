import { type PathStep, parseArgPath } from '../hooks/arg-path.js';
import { checkFields, configError, kindOf } from '../hooks/config-error.js';
import type { HookAnswer, HookContext, HookEvent, HookMode, PolicyHook } from '../hooks/hook.js';
import type { Matcher } from '../hooks/matcher.js';

const SETTINGS = [
  'name',
  'priority',
  'matcher',
  'mode',
  'onError',
  'timeoutMs',
  'exemptRoles',
  'version',
] as const satisfies readonly (keyof PolicyHook)[];

/** What every hook that is built in takes, as in `PolicyHook`. `name` is that of its kind by default, such as `CommandGuard`. */
export interface BuiltinSettings extends Partial<Pick<PolicyHook, (typeof SETTINGS)[number]>> {}

/** The fields that all hooks that are built in share. The policy checks their values when it is told of the hook. */
export abstract class BuiltinHook implements PolicyHook {
  readonly name: string;
  readonly event: HookEvent;
  readonly priority: number | undefined;
  readonly matcher: Matcher | undefined;
  readonly mode: HookMode | undefined;
  readonly onError: 'block' | 'allow' | undefined;
  readonly timeoutMs: number | undefined;
  readonly exemptRoles: readonly string[] | undefined;
  readonly version: string | undefined;

  /** @throws ObserverError `HO_POLICY_CONFIG` for an option that there is none of. */
  protected constructor(kind: string, event: HookEvent, options: BuiltinSettings, known: readonly string[]) {
    checkFields(options, [...SETTINGS, ...known], kind);
    this.name = options.name ?? kind;
    this.event = event;
    this.priority = options.priority;
    this.matcher = options.matcher;
    this.mode = options.mode;
    this.onError = options.onError;
    this.timeoutMs = options.timeoutMs;
    this.exemptRoles = options.exemptRoles;
    this.version = options.version;
  }

  abstract execute(context: HookContext): HookAnswer | Promise<HookAnswer>;
}

export const block = (error: string): HookAnswer => ({ allow: false, error });

/** A list of texts that are not empty; one text is a list of one. */
export function textsOf(value: unknown, where: string): readonly string[] {
  const list: unknown = typeof value === 'string' ? [value] : value;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string' && item !== '')) return list as string[];
  throw configError(`${where} must be a list of texts, got ${kindOf(value)}.`);
}

export function choiceOf<T extends string>(value: unknown, choices: readonly T[], where: string): T {
  if (choices.includes(value as T)) return value as T;
  throw configError(`${where} is one of ${choices.join(', ')}, not ${kindOf(value)}.`);
}

export function positiveOf(value: unknown, where: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw configError(`${where} must be a number above 0, got ${kindOf(value)}.`);
}

/** Paths into arguments. */
export function argPathsOf(value: unknown, where: string): readonly { path: string; steps: readonly PathStep[] }[] {
  const paths = textsOf(value, where);
  if (paths.length === 0) throw configError(`${where} is an empty list: it would look at nothing.`);
  return paths.map((path) => {
    try {
      return { path, steps: parseArgPath(path) };
    } catch (cause) {
      throw configError(`${where}: ${(cause as Error).message}.`, cause);
    }
  });
}
