import { execFileSync } from 'node:child_process';
import { nodeOf } from '../../compat/apps.mjs';

/** Releases to run programs on, with their binaries: this one, and with `--full` the others that are supported. */
export async function nodesToRunOn(): Promise<(readonly [version: string, path: string])[]> {
  const own = [process.versions.node, process.execPath] as const;
  if (process.env.E2E_FULL !== '1') return [own];
  const all = await Promise.all([20, 22, 24].map((major) => nodeOf(major).catch(() => undefined)));
  return all
    .flatMap((path) => (path === undefined || path === process.execPath ? [] : [[versionOf(path), path] as const]))
    .concat([own]);
}

const versionOf = (path: string) => execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
