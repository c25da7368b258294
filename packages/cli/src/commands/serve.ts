import { ObserverError } from '@hermes-observer/core';
import type { Command } from 'commander';
import { checkPlaces } from '../config/check-places.js';
import { loadConfig } from '../config/load-config.js';
import { Service } from '../service/service.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import type { Host } from './program.js';
import { RunningService } from './run-service.js';
import { addSettingOptions, settingsOf } from './setting-options.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** What is not safe by then is not going to be. It is less than the 10 s that supervisors give. */
const STOP_MILLIS = 9_000;

/** Sets up `serve`. */
export function defineServe(command: Command, { done, createConsole }: Host): void {
  addSettingOptions(command).action(async () => {
    const console = createConsole(command);
    try {
      checkSwitch(process.env.HERMES_OBSERVER_POLICY);
      const config = await loadConfig(settingsOf(command));
      checkPlaces(config);
      const warn = (text: string) => console.error(text);
      const running = await RunningService.start(config, (options) => Service.open(options), warn);
      for (const line of running.lines()) process.stdout.write(`${line}\n`);
      for (const warning of running.warnings()) warn(warning);
      done(await stopped(running, console));
    } catch (error) {
      done(console.refuse(error));
    }
  });
}

/**
 * Agents ask, or do not, by a variable whose name looks like that of the file.
 * @throws ObserverError `HO_CONFIG_VALUE`.
 */
function checkSwitch(value: string | undefined): void {
  if (value === undefined || /^(on|off|)$/i.test(value.trim())) return;
  const mend = 'the file of the policy is HERMES_OBSERVER_POLICY_FILE, or --policy FILE';
  throw new ObserverError(
    'HO_CONFIG_VALUE',
    `HERMES_OBSERVER_POLICY is the switch of agents, on or off, not ${JSON.stringify(value.slice(0, 200))}: ${mend}`,
  );
}

/** Resolves with the exit code when a signal came and all is safe. A second signal ends the process at once. */
async function stopped(running: RunningService, console: Console): Promise<number> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of SIGNALS) process.once(name, () => resolve(name));
  });
  console.note(`${signal}: stopping; once more ends it at once`);
  for (const name of SIGNALS) process.on(name, () => process.exit(EXIT_INCOMPLETE));
  const timer = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), STOP_MILLIS).unref());
  const end = await Promise.race([running.stop(), timer]);
  if (end === 'late') {
    console.error('not everything could be sent in time; it is on disk and will be sent after the next start');
  }
  // A backend that hangs must not keep the process.
  process.exit(end === 'late' ? EXIT_INCOMPLETE : EXIT_OK);
}
