import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { HookAnswer, HookContext, PolicyHook } from '../hooks/hook.js';
import { makeHooks, type StateKind } from './make-hooks.js';
import type { PolicyPlan } from './policy-plan.js';

/** What one hook said of the last call, in words. */
export interface HookSaid {
  readonly name: string;
  readonly event: PolicyHook['event'];
  readonly words: string;
}

export interface DryPolicy {
  readonly hooks: readonly PolicyHook[];
  /** Since the last time it was read. */
  takeSaid(): readonly HookSaid[];
  close(): Promise<void>;
}

/**
 * The hooks of a plan, with copies of what they know from before: nothing that they write stays. Audit logs begin empty.
 * @param hasScripts programs and modules take part. They run, and do what they do.
 * @throws as `loadPolicy`.
 */
export async function openDry(plan: PolicyPlan, { hasScripts }: { readonly hasScripts: boolean }): Promise<DryPolicy> {
  const temporary = mkdtempSync(join(tmpdir(), 'hermes-policy-'));
  let number = 0;
  const folder = (path: string, kind: StateKind): string => {
    const copy = join(temporary, String(++number));
    mkdirSync(copy);
    if (kind === 'limits' && existsSync(path)) cpSync(path, copy, { recursive: true, filter: isState });
    const pins = join(path, 'pins.json');
    if (kind === 'pins' && existsSync(pins)) cpSync(pins, join(copy, 'pins.json'));
    return kind === 'audit' ? join(copy, 'new') : copy;
  };
  const forget = () => rmSync(temporary, { recursive: true, force: true });
  try {
    const said: HookSaid[] = [];
    const hooks = (await makeHooks(plan, { isRemote: true, folder, hasScripts })).map((hook) => listened(hook, said));
    return {
      hooks,
      takeSaid: () => said.splice(0),
      close: async () => {
        await Promise.allSettled(hooks.map(async (hook) => hook.close?.()));
        forget();
      },
    };
  } catch (error) {
    forget();
    throw error;
  }
}

/** Who has the folder has its lock. */
const isState = (path: string): boolean => !basename(path).startsWith('lock.');

function listened(hook: PolicyHook, said: HookSaid[]): PolicyHook {
  const { name, event } = hook;
  const note = (words: string) => void said.push({ name, event, words });
  const execute = async (context: HookContext): Promise<HookAnswer> => {
    try {
      const answer = await hook.execute(context);
      note(wordsOf(answer));
      return answer;
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  const { priority, matcher, modifies, mode, onError, timeoutMs, exemptRoles, version } = hook;
  return {
    ...{ name, event, priority, matcher, modifies, mode, onError, timeoutMs, exemptRoles, version, execute },
    ...(hook.shouldTrigger === undefined ? {} : { shouldTrigger: hook.shouldTrigger.bind(hook) }),
    ...(hook.concluded === undefined ? {} : { concluded: hook.concluded.bind(hook) }),
    ...(hook.close === undefined ? {} : { close: hook.close.bind(hook) }),
  };
}

function wordsOf(answer: HookAnswer): string {
  if (answer === undefined || answer === null) return '';
  if (answer.allow === false) return answer.error ?? '';
  return answer.ask?.title ?? '';
}
