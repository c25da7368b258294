import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.js';
import { configText, shownSettings } from '../config/show-config.js';
import { EXIT_OK } from './console.js';
import type { Host } from './program.js';
import { addSettingOptions, settingsOf } from './setting-options.js';

/** Sets up `config`. */
export function defineConfig(command: Command, { done, createConsole }: Host): void {
  addSettingOptions(command)
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      try {
        const config = await loadConfig(settingsOf(command));
        const { file, hasFile } = config;
        const asJson = () =>
          `${JSON.stringify({ file, has_file: hasFile, settings: shownSettings(config) }, null, 2)}\n`;
        process.stdout.write(json === true ? asJson() : configText(config));
        done(EXIT_OK);
      } catch (error) {
        done(createConsole(command).refuse(error));
      }
    });
}
