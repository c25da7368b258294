// Phoenix in a virtual environment of its own in the cache. It takes 850 MB and, the first time, some minutes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '20.26.1';

/** The Python that has it, which PYTHON may name (3.10 to 3.14); `undefined`, and said why, where it cannot be had. */
export function getPhoenix(cacheFolder) {
  const venv = join(cacheFolder, 'phoenix', `arize-phoenix-${VERSION}`);
  const python = join(venv, 'bin/python');
  // Written last: an install that was cut short is done again.
  const mark = join(venv, 'installed');
  if (existsSync(mark)) return python;
  mkdirSync(join(cacheFolder, 'phoenix'), { recursive: true });
  console.log(`installing arize-phoenix ${VERSION} into ${venv}`);
  const steps = [
    [process.env.PYTHON ?? 'python3', ['-m', 'venv', '--clear', venv]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `arize-phoenix==${VERSION}`]],
  ];
  for (const [command, args] of steps) {
    const { status, error } = spawnSync(command, args, { stdio: 'inherit', timeout: 25 * 60_000 });
    if (status === 0) continue;
    console.error(`FAIL ${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
    return undefined;
  }
  writeFileSync(mark, '');
  return python;
}
