import { join } from 'node:path';
import { statusOverSocket, tokenIn } from '../check/service-status.js';
import { type ConfigSources, loadConfig } from '../config/load-config.js';
import { invocation } from './invocation.js';

/** Where the service that runs listens, with its token; or why there is no page. */
export type RunningService = { readonly url: string; readonly token: string } | { readonly problem: string };

/**
 * Asks the service on the socket of this configuration, and whether it shows turns.
 * @param where the configuration, and the flags before it
 * @throws ObserverError for a configuration that is wrong
 */
export async function runningService(where: ConfigSources = {}): Promise<RunningService> {
  const { values } = await loadConfig(where);
  const socket = values.socket as string;
  const answer = await statusOverSocket(socket);
  if ('problem' in answer) {
    return {
      problem: `no service answers at ${socket} (${answer.problem}); start one with ${invocation()} serve, say where it is with --data or --socket, or name files`,
    };
  }
  const { http } = answer.status;
  const token = values.token ?? tokenIn(join(values.data as string, 'token'));
  if (typeof http !== 'string' || !(await hasPage(http, token))) {
    return { problem: 'the service has no page: set viewer and http.enabled to on, and start it again' };
  }
  return { url: http, token };
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
