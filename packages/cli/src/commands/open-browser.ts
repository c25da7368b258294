import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** The command that opens an address in the browser of whoever sits there, or `undefined` where nobody does. */
export function browserCommand(
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
): readonly [command: string, ...args: string[]] | undefined {
  // Over ssh the browser would open elsewhere.
  if (env.SSH_CONNECTION !== undefined && env.DISPLAY === undefined) return undefined;
  if (env.CI !== undefined && env.CI !== '') return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['cmd', '/c', 'start', '""'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Opens an address. Resolves with whether that was begun; what the browser says goes nowhere. */
export function openBrowser(url: string, command = browserCommand()): Promise<boolean> {
  if (command === undefined) return Promise.resolve(false);
  const [name, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(name, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
