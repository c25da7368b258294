import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { type CommandResult, runCommand, TOP } from '../run-command.js';
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

/** Checks a file against the Compose specification. */
async function check(context: TestContext, path: string): Promise<CommandResult> {
  const hasPython = await runCommand('python3', ['-c', 'import venv, ensurepip']).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (!hasPython) skipWith(context, `there is no python3 with venv, which ${CHECKER} needs`);
  const program = await installChecker(process.env.E2E_CACHE_DIR ?? '');
  return runCommand(program, ['--builtin-schema', 'vendor.compose-spec', path]);
}

it('docker-compose.yml follows the Compose specification', async (context) => {
  const { code, stdout } = await check(context, 'docker-compose.yml');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok -- validation done\n' });
});

it('a file with a fault does not', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  const path = join(folder, 'docker-compose.yml');
  writeFileSync(path, readFileSync(join(TOP, 'docker-compose.yml'), 'utf8').replace('depends_on:', 'depend_on:'));
  const { code, stdout } = await check(context, path);
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  expect(stdout).toContain('depend_on');
});
