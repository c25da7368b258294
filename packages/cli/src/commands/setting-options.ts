import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ConfigSources } from '../config/load-config.js';
import type { Setting } from '../config/setting.js';
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../config/settings.js';

const FLAGS = SETTING_KEYS.flatMap((key) => {
  const { flag, meaning }: Setting = SETTINGS[key];
  return flag === undefined ? [] : [{ key, flag, meaning }];
});

/** Flags of the settings that have one, and `--config`. */
export function addSettingOptions(command: Command): Command {
  command.option(
    '--config <file>',
    'configuration (default: $HERMES_OBSERVER_CONFIG, else hermes-observer/config.yaml in $XDG_CONFIG_HOME)',
  );
  for (const { flag, meaning } of FLAGS)
    command.option(
      flag,
      meaning
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1') // no links
        .replace(/\.$|`/g, '')
        .replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase()),
    );
  return command
    .option('--endpoint <url>', 'OTLP backend that gets the spans, instead of the configured ones')
    .option('--otlp-file <path>', 'file that spans are appended to as OTLP/JSON, instead of the configured ones')
    .option('--atof-file <path>', 'file that spans are appended to as ATOF events, instead of the configured ones')
    .option('--atif-folder <folder>', 'folder that ATIF trajectories are written to, instead of the configured ones');
}

/** What was given of them. */
export function settingsOf(command: Command): ConfigSources {
  const given = command.opts<Record<string, string | undefined>>();
  const flags = FLAGS.flatMap(({ key, flag }): [SettingKey, string][] => {
    const value = given[attributeOf(flag)];
    return value === undefined ? [] : [[key, value]];
  });
  const exporters = [
    ...(given.endpoint === undefined ? [] : [{ name: 'endpoint', url: given.endpoint }]),
    ...(given.otlpFile === undefined ? [] : [{ name: 'file', file: resolve(given.otlpFile) }]),
    ...(given.atofFile === undefined ? [] : [{ name: 'atof', kind: 'atof', file: resolve(given.atofFile) }]),
    ...(given.atifFolder === undefined ? [] : [{ name: 'atif', kind: 'atif', folder: resolve(given.atifFolder) }]),
  ];
  return { flags: Object.fromEntries(flags), exporters, ...(given.config !== undefined && { file: given.config }) };
}

/** `--agent-name <name>` is `agentName`. */
const attributeOf = (flag: string) =>
  flag.replace(/^--| .*$/g, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
