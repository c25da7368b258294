import { join } from 'node:path';
import { statusOverSocket, tokenIn } from '../check/service-status.js';
import { loadConfig } from '../config/load-config.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { invocation } from './invocation.js';
import { openBrowser } from './open-browser.js';
import { openingAddress } from './viewer-lines.js';

/**
 * `view` without a file: the page of the service that runs, in the browser; without one its address is printed. Returns the
 * exit code.
 */
export async function openService(
  console: Console,
  open: (url: string) => Promise<boolean> = openBrowser,
  print: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  try {
    const { values } = await loadConfig({});
    const socket = values.socket as string;
    const answer = await statusOverSocket(socket);
    if ('problem' in answer) {
      console.error(
        `no service answers at ${socket} (${answer.problem}); start one with ${invocation()} serve, or name files`,
      );
      return EXIT_INCOMPLETE;
    }
    const { http } = answer.status;
    const token = values.token ?? tokenIn(join(values.data as string, 'token'));
    if (typeof http !== 'string' || !(await hasPage(http, token))) {
      console.error('the service has no page: set viewer and http.enabled to on, and start it again');
      return EXIT_INCOMPLETE;
    }
    const address = openingAddress(http, token);
    if (await open(address)) console.note(`opened ${http}`);
    else print(`${address}\n`);
    return EXIT_OK;
  } catch (error) {
    return console.refuse(error);
  }
}

async function hasPage(url: string, token: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const { ok } = await fetch(`${url}/api/health`, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(3_000),
    });
    return ok;
  } catch {
    return false;
  }
}
