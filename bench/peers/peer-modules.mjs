// The peers' packages, in a folder of the cache and never in this repository's own node_modules.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../e2e/cache-folder.mjs';
import { DEPENDENCIES } from './versions.mjs';

const [major] = process.versions.node.split('.');
const id = createHash('sha256').update(JSON.stringify(DEPENDENCIES)).digest('hex').slice(0, 12);
/** One for each release line of Node.js: npm leaves out what does not run on the one at hand. */
const folder = join(cacheFolder, `peers-${id}-node${major}`);

/** Whether they are there already. */
export const arePeersCached = () => existsSync(join(folder, 'node_modules'));

/** Installs them if they are not there; no script of theirs runs. Returns what went wrong. */
function install() {
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: DEPENDENCIES }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync('npm', args, { cwd: fresh, encoding: 'utf8', timeout: 600_000 });
  if (status === 0) {
    renameSync(fresh, folder);
    return undefined;
  }
  rmSync(fresh, { recursive: true, force: true });
  const line = `${error?.message ?? ''}\n${stderr ?? ''}`.split('\n').find((text) => text.trim() !== '');
  return `npm could not install the peers: ${line ?? `exit code ${status}`}`;
}

/** `require` of the peers' folder, or the reason why there is none. */
export function requirePeers() {
  const reason = arePeersCached() ? undefined : install();
  return reason === undefined ? { require: createRequire(join(folder, 'index.js')) } : { reason };
}
