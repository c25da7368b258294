// The peers' packages, in folders of the cache and never in this repository's own node_modules.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../e2e/cache-folder.mjs';
import { DEPENDENCIES } from './versions.mjs';

const [major] = process.versions.node.split('.');

/** Where packages of these versions are. One for each release line of Node.js: npm leaves out what does not run on the one at hand. */
function folderOf(dependencies) {
  const id = createHash('sha256').update(JSON.stringify(dependencies)).digest('hex').slice(0, 12);
  return join(cacheFolder, `peers-${id}-node${major}`);
}

/** Whether they are there already. */
export const arePeersCached = (dependencies = DEPENDENCIES) => existsSync(join(folderOf(dependencies), 'node_modules'));

/** Installs them if they are not there; no script of theirs runs. Returns what went wrong. */
function install(folder, dependencies) {
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync('npm', args, { cwd: fresh, encoding: 'utf8', timeout: 600_000 });
  if (status === 0) {
    // `import` from there, for those that are ES modules.
    writeFileSync(join(fresh, 'node_modules', 'load.mjs'), 'export const load = (id) => import(id);\n');
    renameSync(fresh, folder);
    return undefined;
  }
  rmSync(fresh, { recursive: true, force: true });
  const line = `${error?.message ?? ''}\n${stderr ?? ''}`.split('\n').find((text) => text.trim() !== '');
  return `npm could not install the peers: ${line ?? `exit code ${status}`}`;
}

/** Their folder and its `require`, or the reason why there is none. */
export function requirePeers(dependencies = DEPENDENCIES) {
  const folder = folderOf(dependencies);
  const reason = existsSync(join(folder, 'node_modules')) ? undefined : install(folder, dependencies);
  return reason === undefined ? { folder, require: createRequire(join(folder, 'index.js')) } : { reason };
}
