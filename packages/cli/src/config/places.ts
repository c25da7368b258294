import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

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
