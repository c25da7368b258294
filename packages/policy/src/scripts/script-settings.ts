import type { PolicyHook } from '../hooks/hook.js';
import type { PinFile } from './pin-file.js';

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
] as const satisfies readonly (keyof PolicyHook)[];

/** What hooks in files take, as in `PolicyHook`. */
export interface ScriptSettings extends Pick<PolicyHook, (typeof SETTINGS)[number]> {
  /**
   * Where accepted digests are kept. Without it, and without `sha256`, what runs may change at any time. Files are looked at before
   * and behind each run: who can write to one may still swap it for that moment alone, so keep them where agents cannot write.
   */
  readonly pins?: PinFile | undefined;
  /** The digest that it has to have, in hex. */
  readonly sha256?: string | undefined;
}
