import { isAbsolute, join } from 'node:path';
import { builtinHooks } from '../builtin/catalog.js';
import { createPolicy } from '../engine/policy.js';
import type { ApprovalTerms, PolicyHook } from '../hooks/hook.js';
import { commandHook } from '../scripts/command-hook.js';
import { moduleHook } from '../scripts/module-hook.js';
import { PinFile } from '../scripts/pin-file.js';
import { checkCommandFiles } from './command-files.js';
import type { BuiltinPlan, HookPlan, PolicyPlan } from './policy-plan.js';

/** What a folder is for. */
export type StateKind = 'pins' | 'limits' | 'audit';

export interface HookMaking {
  /** The agent works in another process, whose working folder is not known. */
  readonly isRemote: boolean;
  /** The folder to use in place of one that a hook keeps its state in. */
  readonly folder: (path: string, kind: StateKind) => string;
  readonly hasScripts: boolean;
}

/** Opens all hooks of a plan; after a fault none is left open. @throws ObserverError `HO_POLICY_CONFIG`, `HO_POLICY_STORE`, `HO_POLICY_AUDIT`. */
export async function makeHooks(plan: PolicyPlan, making: HookMaking): Promise<PolicyHook[]> {
  const made: PolicyHook[] = [];
  const pins = new PinFile(join(making.folder(plan.state, 'pins'), 'pins.json'), join(plan.state, 'pins.json'));
  try {
    for (const hook of plan.hooks) {
      if (hook.kind !== 'use' && !making.hasScripts) continue;
      try {
        const hooks = await make(plan, hook, pins, making);
        made.push(...hooks);
        checkEvent(hook, hooks, plan);
        // What only the engine knows to be wrong is told with its place too.
        createPolicy({ hooks });
      } catch (error) {
        throw plan.document.faultOf(hook.place, error);
      }
    }
    return made;
  } catch (error) {
    await Promise.allSettled(made.map(async (hook) => hook.close?.()));
    throw error;
  }
}

function checkEvent({ event, name, place }: HookPlan, hooks: readonly PolicyHook[], { document }: PolicyPlan): void {
  const [first] = hooks;
  if (first === undefined || first.event === event) return;
  throw document.fault(place, `\`${name}\` is for ${first.event}, not for ${event}.`);
}

async function make(
  plan: PolicyPlan,
  hook: HookPlan,
  pins: PinFile,
  making: HookMaking,
): Promise<readonly PolicyHook[]> {
  const settings = settingsOf(hook);
  if (hook.kind === 'use') {
    return builtinHooks(hook.builtin.use, { ...settings, ...builtinOptions(plan, hook, hook.builtin, making) });
  }
  const { modifies, sha256 } = hook.entry;
  const script = { ...settings, name: hook.name, event: hook.event, ...given({ modifies, sha256 }), pins };
  if (hook.kind === 'module') return [await moduleHook({ ...script, module: plan.path(hook.entry.module) })];
  const { command, shell, format, passEnv, env, cwd, maxOutput, ask } = hook.entry;
  const options = given({ shell, format, passEnv, env, maxOutputBytes: maxOutput });
  const terms = ask === undefined ? {} : { terms: termsOf(ask) };
  if (shell !== true && typeof command !== 'string')
    checkCommandFiles(command, plan.path(cwd ?? '.'), env?.PATH ?? process.env.PATH, `Hook \`${hook.name}\``);
  return [await commandHook({ ...script, ...options, ...terms, command, cwd: plan.path(cwd ?? '.') })];
}

function settingsOf({ entry, name }: HookPlan): Record<string, unknown> {
  const { match, priority, mode, onError, timeout, exempt, version } = entry;
  const shown = given({ priority, mode, onError, timeoutMs: timeout, exemptRoles: exempt, version });
  return { ...shown, name, ...(match === undefined ? {} : { matcher: given(match) }) };
}

interface Terms {
  readonly title?: string | undefined;
  readonly expires?: number | undefined;
  readonly approvers?: readonly string[] | undefined;
  readonly channels?: readonly string[] | undefined;
  readonly requesterMayApprove?: boolean | undefined;
  readonly remember?:
    | { readonly scopes: readonly ('session' | 'arguments' | 'pattern')[]; readonly max: number }
    | undefined;
}

function termsOf({ expires, remember, ...terms }: Terms): ApprovalTerms {
  const rest = given({ expiresMs: expires, ...terms });
  return remember === undefined ? rest : { ...rest, remember: { scopes: remember.scopes, maxMs: remember.max } };
}

/** Without those that are absent: they are not told from fields that are wrong. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function builtinOptions(
  plan: PolicyPlan,
  { name, place }: HookPlan,
  { use, options }: BuiltinPlan,
  making: HookMaking,
): object {
  const folder = (kind: 'audit' | 'limits', path: string | undefined) =>
    making.folder(path === undefined ? plan.stateOf(kind, name) : plan.path(path), kind);
  switch (use) {
    case 'ApprovalGate':
      return termsOf(options);
    case 'AuditLog': {
      const { folder: path, head, ...rest } = options;
      return {
        ...given(rest),
        folder: folder('audit', path),
        ...given({ head: head && making.folder(plan.path(head), 'audit') }),
      };
    }
    case 'CommandGuard': {
      const { terms, writes, cwd, deny, ask, allow, ...rest } = options;
      const rules = (list: typeof deny) =>
        list?.map((rule) => (typeof rule === 'string' ? rule : withOutside(plan, rule)));
      const lists = { deny: rules(deny), ask: rules(ask), allow: rules(allow), writes: writes?.map(inFolder(plan)) };
      return given({ ...rest, ...lists, cwd: cwd && plan.path(cwd), terms: terms && termsOf(terms) });
    }
    case 'PathGuard': {
      const { allow, deny, cwd, ...rest } = options;
      if (cwd === undefined && making.isRemote) {
        const text = '`with.cwd` is missing: paths that begin at no folder are of the folder that the agent works in.';
        throw plan.document.fault([...place, 'with'], text);
      }
      const lists = { allow: allow?.map(inFolder(plan)), deny: deny?.map(inFolder(plan)) };
      return given({ ...rest, ...lists, cwd: cwd && plan.path(cwd) });
    }
    case 'RateLimit': {
      const { per, folder: path, ...rest } = options;
      return { ...given({ ...rest, perMs: per }), folder: folder('limits', path) };
    }
    case 'SpendLimit': {
      const { terms, folder: path, ...rest } = options;
      const where = path === 'memory' ? path : folder('limits', path);
      return { ...given({ ...rest, terms: terms && termsOf(terms) }), folder: where };
    }
    default:
      return given(options);
  }
}

const withOutside = <T extends { readonly outside?: readonly string[] | undefined }>(plan: PolicyPlan, rule: T) =>
  given({ ...rule, outside: rule.outside?.map(inFolder(plan)) });

/** Globs and what is absolute stay as they are. */
const inFolder = (plan: PolicyPlan) => (path: string) =>
  /^[*~]/.test(path) || isAbsolute(path) ? path : plan.path(path);
