import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ObserverError } from '@hermes-observer/core';
import { claudeSettingsFile, hookCommand, withHooks, withoutHooks } from './claude-settings.js';
import { type FileChange, readText, undoChange } from './file-change.js';
import { disablingChange, enablingChange, hermesHome, pluginFolder, pluginSource, serviceCommand } from './hermes.js';
import { copyPlugin, pluginFiles, removeFiles } from './plugin-files.js';

/** What an installation comes to, before anything is done. */
export interface Plan {
  readonly change: FileChange;
  readonly steps: readonly { readonly text: string; readonly run: () => void }[];
  /** What stays as it is, though it looks like a part of what goes. */
  readonly left?: readonly string[];
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
  /** Policy decides about the calls of Claude Code. @default off */
  readonly policy?: boolean;
  /** What becomes of them while the service is away. @default 'block' */
  readonly policyUnreachable?: 'block' | 'allow';
  readonly env?: NodeJS.ProcessEnv;
}

/** The command as it lies on disk; a name would be looked up in whatever `PATH` the agent has. */
const SCRIPT = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));

/** @throws ObserverError `HO_INSTALL` for an agent that is not there. */
export function connectionOf(agent: 'hermes' | 'claude-code', options: ConnectionOptions): Connection {
  return agent === 'hermes' ? hermes(options) : claudeCode(options);
}

/** The plugin in Hermes Agent is told by its environment, which nothing here can change. @throws ObserverError `HO_INSTALL`. */
function checkForHermes({ capture = 'none', policy = false, policyUnreachable = 'block' }: ConnectionOptions): void {
  const given = [
    policy ? ['--policy', 'HERMES_OBSERVER_POLICY=on'] : undefined,
    policyUnreachable === 'block' ? undefined : ['--policy-unreachable', 'HERMES_OBSERVER_POLICY_UNREACHABLE=allow'],
    capture === 'none' ? undefined : ['--capture', `HERMES_OBSERVER_CAPTURE=${capture}`],
  ].find((one) => one !== undefined);
  if (given === undefined) return;
  const [flag, variable] = given;
  throw new ObserverError(
    'HO_INSTALL',
    `${flag} is not for Hermes Agent: leave it out, and start the agent with ${variable} in its environment`,
  );
}

function hermes(options: ConnectionOptions): Connection {
  const { config, env = process.env } = options;
  const home = hermesHome(env);
  if (!existsSync(home)) {
    throw new ObserverError('HO_INSTALL', `there is no ${home}: start the agent once, or set HERMES_HOME`);
  }
  const folder = pluginFolder(home);
  const command = serviceCommand(SCRIPT, config === undefined ? undefined : resolve(config));
  return {
    install: () => {
      checkForHermes(options);
      const change = enablingChange(home);
      const copy = { source: pluginSource(), command, didEnable: change.before !== change.after };
      return {
        change,
        steps: [{ text: `puts the plugin at ${folder}`, run: () => copyPlugin(folder, copy) }],
        next: 'done; restart the agent, and start the service: hermes-observer serve --otlp-file FILE, or --endpoint URL',
      };
    },
    uninstall: () => {
      const { ours, changed, others } = pluginFiles(folder, pluginSource()) ?? { ours: [], changed: [], others: [] };
      const text = `removes the plugin from ${folder}, ${ours.length} files`;
      return {
        change: disablingChange(home),
        steps: ours.length === 0 ? [] : [{ text, run: () => removeFiles(folder, ours) }],
        left: [
          ...changed.map((path) => `leaves ${join(folder, path)}, which was changed since`),
          ...others.map((path) => `leaves ${join(folder, path)}, which was not installed`),
        ],
        next: 'done; restart the agent',
      };
    },
  };
}

function claudeCode({
  capture = 'none',
  policy = false,
  policyUnreachable,
  env = process.env,
}: ConnectionOptions): Connection {
  const path = claudeSettingsFile(env);
  const options = [
    ...(capture === 'none' ? [] : ['--capture', capture]),
    ...(env.HERMES_OBSERVER_SOCKET ? ['--socket', resolve(env.HERMES_OBSERVER_SOCKET)] : []),
    ...(env.HERMES_OBSERVER_DATA ? ['--data', resolve(env.HERMES_OBSERVER_DATA)] : []),
  ];
  const command = hookCommand(SCRIPT, options);
  const guarding = ['--policy', ...(policyUnreachable === 'allow' ? ['--policy-unreachable', 'allow'] : [])];
  const guard = policy ? hookCommand(SCRIPT, [...options, ...guarding]) : command;
  const install = (text: string | undefined) => withHooks(text, command, guard);
  return {
    install: () => {
      const before = readText(path);
      return {
        change: { path, before, after: ofFile(path, () => install(before)) },
        steps: [],
        next: 'done; new sessions of Claude Code are recorded; start the service: hermes-observer serve --otlp-file FILE, or --endpoint URL',
      };
    },
    uninstall: () => ({ change: ofFile(path, () => undoChange(path, withoutHooks)), steps: [], next: 'done' }),
  };
}

/** A change of settings that cannot be read says of which file. */
function ofFile<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof ObserverError) || error.message.includes(path)) throw error;
    throw new ObserverError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}
