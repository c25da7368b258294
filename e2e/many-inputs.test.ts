import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand, TOP } from './run-command.js';

const SCRIPT = join(TOP, 'packages/cli/bin/hermes-observer.js');
const folder = mkdtempSync(join(tmpdir(), 'many-inputs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lines = readFileSync(join(TOP, 'packages/cli/demo/c-parallel-tools.ndjson'), 'utf8').trim().split('\n');

function writeInputs(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, `${i}.ndjson`);
    const own = lines.map((line) => line.replaceAll(/"(turn_id|session_id|task_id|producer)":"/g, `$&${i}-`));
    writeFileSync(path, `${own.join('\n')}\n`);
    return path;
  });
}

/** With few descriptors, as many systems give them. */
const replay = (args: readonly string[]) =>
  runCommand('bash', ['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath, SCRIPT, 'replay', ...args]);

it('reads more inputs than the process may hold open', async () => {
  const out = join(folder, 'out');
  const { code, stderr } = await replay([...writeInputs(300), '--otlp-file', out]);
  expect(stderr).toContain(`${300 * lines.length} records`);
  expect(code).toBe(0);
});

it('names the first inputs of many that cannot be read, and counts the rest', async () => {
  const [good = ''] = writeInputs(1);
  const missing = Array.from({ length: 500 }, (_, i) => join(folder, `missing-${i}`));
  const { code, stderr } = await replay([good, ...missing, '--otlp-file', join(folder, 'out')]);
  expect(code).toBe(1);
  expect(stderr.match(/missing-\d+: no such file/g)).toHaveLength(20);
  expect(stderr).toContain('500 inputs cannot be read, 480 of them not named here [HO_INPUT_UNREADABLE]');
});
