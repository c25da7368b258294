// Frameworks at other versions than the one in `node_modules`, and those that are too large for it, in a cache folder.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../cache-folder.mjs';

/**
 * Installs packages, each of an exact version, into a folder of their own, unless they are there already.
 *
 * @param {string} name of the folder, such as `langchain-lowest`
 * @param {Record<string, string>} packages versions by name
 * @returns {Promise<{ folder: string, load: (id: string) => Promise<any> }>} `load` imports a module from there, as ES module
 */
export async function frameworkAt(name, packages) {
  const pins = Object.entries(packages).map(([id, version]) => `${id}@${version}`);
  const folder = join(
    cacheFolder,
    'adapters',
    `${name}-${pins
      .join('_')
      .replace(/[^\w.-]+/g, '-')
      .slice(-120)}`,
  );
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    const manifest = { name: 'frameworks', private: true, type: 'module', dependencies: packages };
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--no-audit', '--no-fund', '--silent'];
    await promisify(execFile)('npm', args, { cwd: unfinished, timeout: 600_000 });
    writeFileSync(join(unfinished, 'node_modules', 'load.mjs'), 'export const load = (id) => import(id);\n');
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
      rmSync(unfinished, { recursive: true });
    }
  }
  const { load } = await import(pathToFileURL(join(folder, 'node_modules', 'load.mjs')).href);
  return { folder, load };
}
