// What says whether our files are right: NVIDIA's models and converter of both formats, the validator of ATIF's owner, and NeMo
// Relay itself. In a folder of their own in the cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../cache-folder.mjs';

const PACKAGES = ['nvidia-nat-atif[full]==1.9.0', 'nemo-relay==0.10.4'];
/** Its releases ask for Python 3.12, and its validator runs on 3.11 with what the packages above bring. */
const HARBOR = '0.26.0';
const folder = join(cacheFolder, `relay-oracles-1.9.0-0.10.4-${HARBOR}`);
const python = join(folder, 'venv/bin/python');
const harbor = join(folder, 'harbor');

/** @returns {string | undefined} why they cannot be had */
export function installOracles() {
  if (existsSync(join(folder, 'installed'))) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command, ...args) => {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000 });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  };
  try {
    run(process.env.PYTHON ?? 'python3', '-m', 'venv', join(folder, 'venv'));
    const pip = (...args) => run(python, '-m', 'pip', '--quiet', '--disable-pip-version-check', ...args);
    pip('install', ...PACKAGES);
    const any = ['--no-deps', '--python-version', '3.12', '--only-binary=:all:', '--dest', folder];
    pip('download', `harbor==${HARBOR}`, ...any);
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    run(python, '-m', 'zipfile', '--extract', join(folder, wheel), harbor);
  } catch (error) {
    return error.message;
  }
  writeFileSync(join(folder, 'installed'), '');
  return undefined;
}

/** Runs a script of this folder with them. @returns {string} what it printed */
export function runPython(script, ...args) {
  const { status, stdout, stderr } = spawnSync(python, [join(import.meta.dirname, script), ...args], {
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: process.env.PATH, PYTHONPATH: harbor, PYTHONDONTWRITEBYTECODE: '1' },
  });
  if (status !== 0) throw new Error(`${script}: ${stderr}`);
  return stdout;
}
