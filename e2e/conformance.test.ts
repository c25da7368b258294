import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';

/** The built command, as a user runs it. */
const COMMAND = `node ${join(TOP, 'packages/cli/bin/hermes-observer.js')}`;
const CLOSING = /^(\d+) passed, (\d+) failed$/;
const MINUTES = 60_000;

/** Runs a checker over everything it has, each replay twice; prints its closing line. */
async function check(name: string, runner: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runNode([runner, '--cmd', COMMAND, '--jobs', '2', '--idempotence', ...args]);
  const lines = stdout.trimEnd().split('\n');
  const closing = lines.at(-1) ?? '';
  console.log(`${name}: ${closing}`);
  expect(closing, stderr).toMatch(CLOSING);
  const faults = lines.filter((line) => !line.startsWith('ok '));
  expect(faults).toEqual([closing]);
  expect(code).toBe(0);
  expect(Number(CLOSING.exec(closing)?.[1])).toBeGreaterThan(50);
}

/** A newer folder named by the environment, else our own; with its own checker when it has one. */
function source(variable: string, own: string, checker: string): { folder: string; runner: string } {
  const newer = process.env[variable];
  const folder = newer === undefined || newer === '' ? join(TOP, own) : resolve(TOP, newer);
  const runner = join(folder, checker);
  return { folder, runner: existsSync(runner) ? runner : join(TOP, own, checker) };
}

it('every conformance case passes, and a second replay gives the same bytes', { timeout: 5 * MINUTES }, async () => {
  const { folder, runner } = source('HERMES_OBSERVER_CASES', 'conformance/cases', 'run.mjs');
  await check('conformance cases', runner, ['--dir', folder]);
});

it('every recording is accounted for, and a second replay gives the same bytes', { timeout: 5 * MINUTES }, async () => {
  const { folder, runner } = source('HERMES_OBSERVER_RECORDINGS', 'conformance/recordings', 'account.mjs');
  await check('recordings', runner, [folder]);
});
