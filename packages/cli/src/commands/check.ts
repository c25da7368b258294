import type { Command } from 'commander';
import { check } from '../check/check.js';
import { findingsText } from '../check/finding.js';
import { loadConfig } from '../config/load-config.js';
import { EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { VERSION } from './own-version.js';
import type { Host } from './program.js';
import { addSettingOptions, settingsOf } from './setting-options.js';

/** Sets up `check`. */
export function defineCheck(command: Command, { done, createConsole }: Host): void {
  addSettingOptions(command)
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      try {
        const config = await loadConfig(settingsOf(command));
        const findings = await check({ config, version: VERSION });
        const isGood = !findings.some(({ level }) => level === 'fault');
        const asJson = () => `${JSON.stringify({ ok: isGood, findings }, null, 2)}\n`;
        process.stdout.write(json === true ? asJson() : findingsText(findings));
        done(isGood ? EXIT_OK : EXIT_INCOMPLETE);
      } catch (error) {
        done(createConsole(command).refuse(error));
      }
    });
}
