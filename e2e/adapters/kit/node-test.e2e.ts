import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the kit runs under node --test', async () => {
  const program = fileURLToPath(new URL('plain.test.mjs', import.meta.url));
  // Whoever runs this is a test of Node.js itself, or not.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', '--test-reporter=tap', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 20_000 });
  expect(stdout).toMatch(/^# pass 4$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
