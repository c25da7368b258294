// The libraries of Slack, of Feishu and of Standard Webhooks, in a folder of their own: they say what the other side takes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../cache-folder.mjs';

const VERSIONS = { '@slack/bolt': '5.1.0', '@larksuiteoapi/node-sdk': '1.74.0', standardwebhooks: '1.1.1' };
const folder = join(cacheFolder, 'policy-oracles', Object.values(VERSIONS).join('-'));

/** @returns why they cannot be had, or nothing */
export function installOracles() {
  if (existsSync(join(folder, 'installed'))) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const names = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const args = ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', ...names];
  const { status, error, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (status !== 0)
    return `npm install ${names.join(' ')}: ${error?.message ?? (stderr.trim() || `exit code ${status}`)}`;
  writeFileSync(join(folder, 'installed'), '');
  return undefined;
}

const require = createRequire(join(folder, 'package.json'));
export const oracle = (name) => require(name);
