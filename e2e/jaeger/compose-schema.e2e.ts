import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../run-command.js';
import { skipWith } from '../skip-with.js';

const CHECKER = 'check-jsonschema';
const VERSION = '0.39.0';

/** The checker in a folder of its own below the cache. @throws Error when it cannot be installed. */
async function installChecker(cache: string): Promise<string> {
  const folder = join(cache, `${CHECKER}-${VERSION}`);
  const program = join(folder, 'bin', CHECKER);
  if (existsSync(program)) return program;
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', '--clear', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', `${CHECKER}==${VERSION}`],
  ]) {
    const { code, stderr } = await runCommand(command ?? '', args);
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${stderr}`);
  }
  return program;
}

it('docker-compose.yml follows the Compose specification', async (context) => {
  const hasPython = await runCommand('python3', ['-c', 'import venv, ensurepip']).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (!hasPython) skipWith(context, `there is no python3 with venv, which ${CHECKER} needs`);
  const program = await installChecker(process.env.E2E_CACHE_DIR ?? '');
  const { code, stdout } = await runCommand(program, ['--builtin-schema', 'vendor.compose-spec', 'docker-compose.yml']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok -- validation done\n' });
});
