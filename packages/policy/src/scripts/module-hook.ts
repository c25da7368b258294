import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkFields, configError, kindOf } from '../hooks/config-error.js';
import type { PolicyHook } from '../hooks/hook.js';
import { settingsOf } from './command-hook.js';
import { changed } from './pin-file.js';
import { fileDigest } from './script-digest.js';
import { type ScriptSettings, SETTINGS } from './script-settings.js';

export interface ModuleHookOptions extends ScriptSettings {
  /** Absolute path of a JavaScript module. */
  readonly module: string;
}

/**
 * A hook that is a JavaScript module: its default export, or its export `hook`, is a function `(context) => answer` or an
 * object with `execute`. It is loaded once, after its digest was checked; what it imports in turn is not in the digest.
 * Fields that are given here take the place of the module's.
 * @throws ObserverError `HO_POLICY_CONFIG`: not there, not the accepted one, or no hook.
 */
export async function moduleHook(options: ModuleHookOptions): Promise<PolicyHook> {
  const where = `Hook \`${String(options.name)}\``;
  checkFields(options, [...SETTINGS, 'module', 'pins', 'sha256'], where);
  const { module: path, name } = options;
  if (typeof path !== 'string' || !isAbsolute(path))
    throw configError(`\`module\` of ${where} must be an absolute path, got ${kindOf(path)}.`);
  const digest = await fileDigest(path);
  if (digest === undefined) throw configError(`\`module\` of ${where} is not there: ${path}.`);
  if (options.sha256 !== undefined && options.sha256.toLowerCase() !== digest) {
    throw changed(name, `set \`sha256\` of it to ${digest}`);
  }
  await options.pins?.check(name, digest, true);
  const url = pathToFileURL(path);
  // Of a file that was changed, the module that was loaded before is another one.
  url.searchParams.set('sha256', digest);
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(url.href)) as Record<string, unknown>;
  } catch (cause) {
    throw configError(`\`module\` of ${where} cannot be loaded: ${(cause as Error).message}`, cause);
  }
  const hook = loaded.default ?? loaded.hook;
  if (typeof hook === 'function') return { ...settingsOf(options), execute: hook as PolicyHook['execute'] };
  if (typeof hook !== 'object' || hook === null || typeof (hook as PolicyHook).execute !== 'function') {
    throw configError(
      `\`module\` of ${where} exports no hook: neither a function nor an object with \`execute\`, as default or as \`hook\`.`,
    );
  }
  return joined(hook as PolicyHook, options);
}

const METHODS = ['shouldTrigger', 'execute', 'concluded', 'answered', 'close'] as const;

function joined(hook: PolicyHook, options: ModuleHookOptions): PolicyHook {
  const result: Record<string, unknown> = {};
  for (const key of SETTINGS) if (hook[key] !== undefined) result[key] = hook[key];
  for (const key of METHODS) {
    const method: unknown = hook[key];
    if (typeof method === 'function') result[key] = method.bind(hook);
  }
  return { ...result, ...settingsOf(options) } as unknown as PolicyHook;
}
