import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ObserverError } from '@hermes-observer/core';
import { type FileChange, readText, undoChange } from './file-change.js';
import { PLUGIN_NAME, withoutPlugin, withPlugin } from './hermes-config.js';

/** The agent's folder: `HERMES_HOME`, else `~/.hermes`. */
export function hermesHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.HERMES_HOME || join(env.HOME || homedir(), '.hermes');
}

export const pluginFolder = (home: string) => join(home, 'plugins', PLUGIN_NAME);
export const configFile = (home: string) => join(home, 'config.yaml');
export const SERVICE_FILE = 'service.json';

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

export const disablingChange = (home: string) => undoChange(configFile(home), withPlugin, withoutPlugin);

/** Puts the plugin into the agent's folder; an older one is replaced whole. @throws ObserverError `HO_INSTALL`. */
export function copyPlugin(home: string, command: readonly string[], source = pluginSource()): void {
  const target = pluginFolder(home);
  if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ObserverError('HO_INSTALL', `${target} is a link, so somebody works on it: remove it first`);
  }
  const fresh = `${target}.${process.pid}.tmp`;
  try {
    mkdirSync(join(home, 'plugins'), { recursive: true });
    cpSync(source, fresh, { recursive: true, filter: (path) => !/^__pycache__$|\.pyc$/.test(basename(path)) });
    writeFileSync(join(fresh, SERVICE_FILE), `${JSON.stringify({ command })}\n`);
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ObserverError('HO_INSTALL', `the plugin cannot be put at ${target}: ${reason}`, { cause });
  }
}

export function removePlugin(home: string): void {
  rmSync(pluginFolder(home), { recursive: true, force: true });
}
