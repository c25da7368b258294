// npm run e2e:forwarder: the tests of the Python plugin, in a virtual environment of their own in the cache.
//
// Needs Python 3.10 or newer as `python3`; PYTHON names another one. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../cache-folder.mjs';

const plugin = fileURLToPath(new URL('../../integrations/hermes-agent', import.meta.url));
const [requirement] = /pytest==[\d.]+/.exec(readFileSync(join(plugin, 'pyproject.toml'), 'utf8')) ?? [];

function must(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(`${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

const python = process.env.PYTHON ?? 'python3';
const venv = join(cacheFolder, 'pytest', requirement ?? 'none');
const ownPython = join(venv, 'bin/python');
if (!existsSync(join(venv, 'bin/pytest'))) {
  must(python, ['-m', 'venv', '--clear', venv]);
  must(ownPython, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]);
}

const args = [
  '-m',
  'pytest',
  '-rs',
  '-p',
  'no:cacheprovider',
  ...process.argv.slice(2).filter((arg) => arg !== '--full'),
];
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
const run = spawnSync(ownPython, args, { cwd: plugin, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
process.stdout.write(run.stdout);
const counted = (word) =>
  Number(new RegExp(`(\\d+) ${word}`).exec(run.stdout.trimEnd().split('\n').at(-1) ?? '')?.[1] ?? 0);
const passed = counted('passed');
// An exit code beside 0 with nothing that failed is a run that did not come to its end.
const failed = counted('failed') + counted('error') || (run.status === 0 && passed > 0 ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
