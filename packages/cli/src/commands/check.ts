import { ObserverError } from '@hermes-observer/core';
import type { Command } from 'commander';
import { check, settingsFinding } from '../check/check.js';
import { type Finding, findingsText } from '../check/finding.js';
import { type Config, type ConfigSources, loadConfig } from '../config/load-config.js';
import { EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { asTyped } from './invocation.js';
import { VERSION } from './own-version.js';
import type { Host } from './program.js';
import { addSettingOptions, settingsOf } from './setting-options.js';

/** Sets up `check`. */
export function defineCheck(command: Command, { done, createConsole }: Host): void {
  addSettingOptions(command)
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      try {
        const findings = (await found(settingsOf(command))).map(typed);
        const isGood = !findings.some(({ level }) => level === 'fault');
        const asJson = () => `${JSON.stringify({ ok: isGood, findings }, null, 2)}\n`;
        process.stdout.write(json === true ? asJson() : findingsText(findings));
        done(isGood ? EXIT_OK : EXIT_INCOMPLETE);
      } catch (error) {
        done(createConsole(command).refuse(error));
      }
    });
}

/** Settings that cannot be read are a finding like others: a service would not start. */
async function found(sources: ConfigSources): Promise<Finding[]> {
  let config: Config;
  try {
    config = await loadConfig(sources);
  } catch (error) {
    if (!ObserverError.isInstance(error)) throw error;
    return [settingsFinding(error.message)];
  }
  return check({ config, version: VERSION });
}

const typed = (finding: Finding): Finding =>
  finding.mend === undefined ? finding : { ...finding, mend: asTyped(finding.mend) };
