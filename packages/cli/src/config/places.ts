import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** What the kernel takes for the path of a socket, its closing zero left out. */
export const MOST_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

/** A variable that holds an absolute folder; XDG ignores others. */
function folderOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

const home = (env: NodeJS.ProcessEnv) => env.HOME || homedir();

/** A path as a person writes it: `~` is the home folder, a relative one starts at `base`. */
export function expandPath(path: string, base: string, env: NodeJS.ProcessEnv): string {
  if (path === '~' || path.startsWith('~/')) return join(home(env), path.slice(1));
  return resolve(base, path);
}

export function defaultConfigFile(env: NodeJS.ProcessEnv): string {
  return join(folderOf(env, 'XDG_CONFIG_HOME') ?? join(home(env), '.config'), 'hermes-observer', 'config.yaml');
}

export function defaultDataFolder(env: NodeJS.ProcessEnv): string {
  return join(folderOf(env, 'XDG_STATE_HOME') ?? join(home(env), '.local', 'state'), 'hermes-observer');
}

export function defaultSocket(env: NodeJS.ProcessEnv, dataFolder: string): string {
  const runtime = folderOf(env, 'XDG_RUNTIME_DIR');
  return runtime === undefined
    ? join(dataFolder, 'run', 'observer.sock')
    : join(runtime, 'hermes-observer', 'observer.sock');
}

/**
 * Where else agents look that were started another way, such as by cron without `XDG_RUNTIME_DIR`. Only for a service
 * whose socket was not named.
 */
export function otherSockets(dataFolder: string, socket: string, uid = process.getuid?.()): string[] {
  const runtime = uid === undefined ? undefined : `/run/user/${uid}`;
  return [
    join(dataFolder, 'run', 'observer.sock'),
    ...(runtime !== undefined && existsSync(runtime) ? [join(runtime, 'hermes-observer', 'observer.sock')] : []),
  ].filter((path) => path !== socket);
}
