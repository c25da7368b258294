import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { ObserverError } from '@hermes-observer/core';
import { claudeSettingsFile, hookCommand, withHooks, withoutHooks } from './claude-settings.js';
import { type FileChange, readText, undoChange } from './file-change.js';
import {
  copyPlugin,
  disablingChange,
  enablingChange,
  hermesHome,
  pluginFolder,
  removePlugin,
  serviceCommand,
} from './hermes.js';

/** What an installation comes to, before anything is done. */
export interface Plan {
  readonly change: FileChange;
  readonly steps: readonly { readonly text: string; readonly run: () => void }[];
  /** What the user has to do then. */
  readonly next: string;
}

/** One agent that records can come from. */
export interface Connection {
  install(): Plan;
  uninstall(): Plan;
}

export interface ConnectionOptions {
  readonly capture?: 'none' | 'redacted' | 'full';
  /** Of a service that the agent starts. */
  readonly config?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The command as it lies on disk; a name would be looked up in whatever `PATH` the agent has. */
const SCRIPT = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));

/** @throws ObserverError `HO_INSTALL` for an agent that is not there. */
export function connectionOf(agent: 'hermes' | 'claude-code', options: ConnectionOptions): Connection {
  return agent === 'hermes' ? hermes(options) : claudeCode(options);
}

function hermes({ config, env = process.env }: ConnectionOptions): Connection {
  const home = hermesHome(env);
  if (!existsSync(home)) {
    throw new ObserverError('HO_INSTALL', `there is no ${home}: start the agent once, or set HERMES_HOME`);
  }
  const folder = pluginFolder(home);
  const command = serviceCommand(SCRIPT, config === undefined ? undefined : resolve(config));
  return {
    install: () => ({
      change: enablingChange(home),
      steps: [{ text: `puts the plugin at ${folder}`, run: () => copyPlugin(home, command) }],
      next: 'done; restart the agent, and start the service: hermes-observer serve',
    }),
    uninstall: () => ({
      change: disablingChange(home),
      steps: existsSync(folder) ? [{ text: `removes ${folder}`, run: () => removePlugin(home) }] : [],
      next: 'done; restart the agent',
    }),
  };
}

function claudeCode({ capture = 'none', env = process.env }: ConnectionOptions): Connection {
  const path = claudeSettingsFile(env);
  const command = hookCommand(SCRIPT, [
    ...(capture === 'none' ? [] : ['--capture', capture]),
    ...(env.HERMES_OBSERVER_SOCKET ? ['--socket', resolve(env.HERMES_OBSERVER_SOCKET)] : []),
    ...(env.HERMES_OBSERVER_DATA ? ['--data', resolve(env.HERMES_OBSERVER_DATA)] : []),
  ]);
  const install = (text: string | undefined) => withHooks(text, command);
  return {
    install: () => {
      const before = readText(path);
      return {
        change: { path, before, after: install(before) },
        steps: [],
        next: 'done; new sessions of Claude Code are recorded while the service runs: hermes-observer serve',
      };
    },
    uninstall: () => ({ change: undoChange(path, install, withoutHooks, isSameJson), steps: [], next: 'done' }),
  };
}

function isSameJson(one: string, other: string): boolean {
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}
