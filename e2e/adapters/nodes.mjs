// Releases of Node.js that programs run on: this one, and with `--full` the others that are supported.
import { execFileSync } from 'node:child_process';
import { nodeOf } from '../compat/apps.mjs';

const MAJORS = [20, 22, 24];

/** @returns {Promise<[version: string, path: string][]>} */
export async function nodesToRunOn() {
  const own = [process.versions.node, process.execPath];
  if (process.env.E2E_FULL !== '1') return [own];
  const others = MAJORS.filter((major) => !process.versions.node.startsWith(`${major}.`) && major !== 20);
  const paths = await Promise.all(others.map(nodeOf));
  return [own, ...paths.map((path) => [versionOf(path), path])];
}

const versionOf = (path) => execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
