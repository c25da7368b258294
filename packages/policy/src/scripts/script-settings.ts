import type { HookEvent, HookMode } from '../hooks/hook.js';
import type { Matcher } from '../hooks/matcher.js';
import type { PinFile } from './pin-file.js';

/** What hooks in files take, as in `PolicyHook`. */
export interface ScriptSettings {
  readonly name: string;
  readonly event: HookEvent;
  readonly priority?: number | undefined;
  readonly matcher?: Matcher | undefined;
  readonly modifies?: boolean | undefined;
  readonly mode?: HookMode | undefined;
  readonly onError?: 'block' | 'allow' | undefined;
  /** @default 30000 */
  readonly timeoutMs?: number | undefined;
  readonly exemptRoles?: readonly string[] | undefined;
  readonly version?: string | undefined;
  /** Where accepted digests are kept. Without it, and without `sha256`, what runs may change at any time. */
  readonly pins?: PinFile | undefined;
  /** The digest that it has to have, in hex. */
  readonly sha256?: string | undefined;
}

export const SETTINGS = [
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
] as const;
