import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ObserverError } from '@hermes-observer/core';
import { type FileChange, readText, undoChange } from './file-change.js';
import { PLUGIN_NAME, withoutPlugin, withPlugin } from './hermes-config.js';
import { wasEnabledBefore } from './plugin-files.js';

/** The agent's folder: `HERMES_HOME`, else `~/.hermes`. */
export function hermesHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.HERMES_HOME || join(env.HOME || homedir(), '.hermes');
}

export const pluginFolder = (home: string) => join(home, 'plugins', PLUGIN_NAME);
export const configFile = (home: string) => join(home, 'config.yaml');

/** Where the plugin is in this package; in a clone that was not built, where it is made. */
export function pluginSource(): string {
  const places = ['../../hermes-plugin', '../../../../integrations/hermes-agent/hermes_observer_forwarder'];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new ObserverError('HO_INSTALL', 'this package has no plugin in it: install it anew');
}

/** The command that starts the service: absolute, since an agent runs with any `PATH`. */
export function serviceCommand(script: string, config?: string): string[] {
  return [process.execPath, script, 'serve', ...(config === undefined ? [] : ['--config', config])];
}

export function enablingChange(home: string): FileChange {
  const path = configFile(home);
  const before = readText(path);
  return { path, before, after: withPlugin(before) };
}

/** Nothing for a plugin that was enabled before it was installed here. */
export function disablingChange(home: string): FileChange {
  const path = configFile(home);
  if (!wasEnabledBefore(pluginFolder(home))) return undoChange(path, withoutPlugin);
  const before = readText(path);
  return { path, before, after: before };
}
