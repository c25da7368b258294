import { configError } from '../hooks/config-error.js';
import type { PolicyHook } from '../hooks/hook.js';
import { proposal } from '../hooks/nearest.js';
import { ApprovalGate, type ApprovalGateOptions } from './approval-gate.js';
import { AuditLog, type AuditLogOptions } from './audit/audit-log.js';
import { CommandGuard, type CommandGuardOptions } from './command/command-guard.js';
import { RateLimit, type RateLimitOptions } from './limits/rate-limit.js';
import { SpendLimit, type SpendLimitOptions } from './limits/spend-limit.js';
import { PathGuard, type PathGuardOptions } from './path/path-guard.js';
import { ReadOnlyGuard, type ReadOnlyGuardOptions } from './read-only/read-only-guard.js';
import { ResultTruncate, type ResultTruncateOptions } from './truncate/result-truncate.js';

type Maker = (options: object) => Promise<readonly PolicyHook[]>;

const one =
  (make: (options: object) => PolicyHook | Promise<PolicyHook>): Maker =>
  async (options) => [await make(options)];

const MAKERS: Readonly<Record<string, Maker>> = {
  ApprovalGate: one((options) => new ApprovalGate(options as ApprovalGateOptions)),
  AuditLog: async (options) => (await AuditLog.open(options as AuditLogOptions)).hooks,
  CommandGuard: one((options) => new CommandGuard(options as CommandGuardOptions)),
  PathGuard: one((options) => new PathGuard(options as PathGuardOptions)),
  RateLimit: one((options) => RateLimit.open(options as RateLimitOptions)),
  ReadOnlyGuard: one((options) => new ReadOnlyGuard(options as ReadOnlyGuardOptions)),
  ResultTruncate: one((options) => new ResultTruncate(options as ResultTruncateOptions)),
  SpendLimit: one((options) => SpendLimit.open(options as SpendLimitOptions)),
};

export const BUILTIN_NAMES: readonly string[] = Object.keys(MAKERS);

/**
 * Hooks that are built in, by name: `AuditLog` makes two, the others one each.
 * @throws ObserverError `HO_POLICY_CONFIG` for a name or an option that there is none of, with the nearest one; and what
 * opening a folder throws.
 */
export async function builtinHooks(name: string, options: object = {}): Promise<readonly PolicyHook[]> {
  const make = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  if (make === undefined)
    throw configError(`No hook \`${name.slice(0, 64)}\` is built in.${proposal(name, BUILTIN_NAMES)}`);
  return make(options);
}
