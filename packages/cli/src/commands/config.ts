import type { Command } from 'commander';
import { placeProblems } from '../config/check-places.js';
import { loadConfig } from '../config/load-config.js';
import { configText, shownSettings } from '../config/show-config.js';
import { EXIT_OK, EXIT_USAGE, faultText } from './console.js';
import type { Host } from './program.js';
import { addSettingOptions, settingsOf } from './setting-options.js';

/** Sets up `config`. */
export function defineConfig(command: Command, { done, createConsole }: Host): void {
  addSettingOptions(command)
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const console = createConsole(command);
      try {
        const config = await loadConfig(settingsOf(command));
        const { file, hasFile } = config;
        const problems = placeProblems(config).map(faultText);
        const asJson = () =>
          `${JSON.stringify({ file, has_file: hasFile, settings: shownSettings(config), problems }, null, 2)}\n`;
        process.stdout.write(json === true ? asJson() : configText(config));
        // As `serve` would end with them.
        for (const problem of problems) console.error(problem);
        done(problems.length === 0 ? EXIT_OK : EXIT_USAGE);
      } catch (error) {
        done(console.refuse(error));
      }
    });
}
