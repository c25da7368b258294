import type { ConfigSources } from '../config/load-config.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { openBrowser } from './open-browser.js';
import { runningService } from './running-service.js';
import { openingAddress } from './viewer-lines.js';

/**
 * `view` without a file: the page of the service that runs, in the browser; without one its address is printed. Returns the
 * exit code.
 */
export async function openService(
  console: Console,
  where: ConfigSources = {},
  open: (url: string) => Promise<boolean> = openBrowser,
  print: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  try {
    const service = await runningService(where);
    if ('problem' in service) {
      console.error(service.problem);
      return EXIT_INCOMPLETE;
    }
    const address = openingAddress(service.url, service.token);
    if (await open(address)) console.note(`opened ${service.url}`);
    else print(`${address}\n`);
    return EXIT_OK;
  } catch (error) {
    return console.refuse(error);
  }
}
