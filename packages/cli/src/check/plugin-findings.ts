import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../install/file-change.js';
import { configFile, hermesHome, pluginFolder } from '../install/hermes.js';
import { type PluginState, pluginState } from '../install/hermes-config.js';
import type { Finding } from './finding.js';
import { installedDistribution } from './python-distributions.js';

const DISTRIBUTION = 'hermes_observer_hermes_agent';

/** The plugin as it is on disk. */
export interface InstalledPlugin {
  readonly version: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Is the plugin in the agent, and switched on? */
export function pluginFindings(env: NodeJS.ProcessEnv): { findings: Finding[]; plugin: InstalledPlugin | undefined } {
  const home = hermesHome(env);
  if (!existsSync(home)) {
    const text = `there is no Hermes Agent at ${home}`;
    return {
      findings: [
        {
          id: 'plugin',
          level: 'note',
          text,
          mend: 'set HERMES_HOME if it is elsewhere; for other agents nothing is to do here',
        },
      ],
      plugin: undefined,
    };
  }
  const manifest = join(pluginFolder(home), 'plugin.yaml');
  const version = existsSync(manifest) ? versionIn(manifest) : installedDistribution(home, DISTRIBUTION, env);
  if (!existsSync(manifest) && version === undefined) {
    const text = `the plugin is not installed in ${home}`;
    return { findings: [fault(text, 'hermes-observer install hermes, then restart the agent')], plugin: undefined };
  }
  let state: PluginState;
  try {
    state = pluginState(readText(configFile(home)) ?? '');
  } catch (error) {
    const mend = `mend ${configFile(home)}: the agent cannot read it either`;
    return { findings: [fault((error as Error).message, mend)], plugin: undefined };
  }
  const findings = [stateFinding(state, home, version), ...pathFindings(state, env)];
  return { findings, plugin: { version, settings: state.settings } };
}

const fault = (text: string, mend: string): Finding => ({ id: 'plugin', level: 'fault', text, mend });

function stateFinding({ isEnabled, isDisabled }: PluginState, home: string, version: string | undefined): Finding {
  const enable = 'hermes-observer install hermes, then restart the agent';
  if (isDisabled) return fault(`the plugin is in plugins.disabled of ${configFile(home)}, which wins`, enable);
  if (!isEnabled) return fault(`the plugin is installed and not enabled in ${configFile(home)}`, enable);
  return { id: 'plugin', level: 'ok', text: `the plugin ${version ?? ''} is installed and enabled`.replace('  ', ' ') };
}

/** What keeps a plugin that is enabled from handing anything over. */
function pathFindings({ settings }: PluginState, env: NodeJS.ProcessEnv): Finding[] {
  const file = env.HERMES_OBSERVER_FILE || settings.file;
  const findings: Finding[] = [];
  if (file) {
    const text = `the plugin is told to write to a file, ${String(file)}, and talks to no service`;
    findings.push(
      fault(text, 'unset HERMES_OBSERVER_FILE, or settings.file of the plugin in config.yaml; then restart the agent'),
    );
  }
  if (env.HERMES_SAFE_MODE === '1')
    findings.push(fault('HERMES_SAFE_MODE=1 switches all plugins of the agent off', 'unset it, and restart the agent'));
  return findings;
}

function versionIn(manifest: string): string | undefined {
  try {
    return /^version:\s*["']?([^\s"'#]+)/m.exec(readFileSync(manifest, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
