import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runNode } from './run-command.js';

/** What `scripts/ci-count.mjs` makes of these files: its exit code and last line. */
async function count(files: Record<string, string>): Promise<{ code: number | null; last: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'count-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { code, stdout } = await runNode(['scripts/ci-count.mjs', folder]);
  rmSync(folder, { recursive: true });
  return { code, last: stdout.trimEnd().split('\n').at(-1) ?? '' };
}

const report = (passed: number, failed: number, assertionResults: object[] = []) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults: [{ assertionResults }] });
const skipped = (meta: object) => ({ status: 'skipped', fullName: 'a test', meta });
const good = { stages: 'build\t0\t3\ntest\t0\t9\n', complete: '' };

it('counts stages, tests, and what checkers say', async () => {
  const log = 'noise\nconformance cases: 83 passed, 0 failed\n Tests  7 passed (7)\n90 passed, 0 failed\n';
  const files = { ...good, 'test.vitest.json': report(7, 0), 'test.log': log };
  expect(await count(files)).toEqual({ code: 0, last: '182 passed, 0 failed' });
});

it('fails for a stage, a test or a case that failed', async () => {
  expect(await count({ ...good, stages: 'build\t1\t3\n' })).toEqual({ code: 1, last: '0 passed, 1 failed' });
  expect(await count({ ...good, 'test.vitest.json': report(7, 1) })).toEqual({ code: 1, last: '9 passed, 1 failed' });
  expect(await count({ ...good, 'build.log': 'x: 5 passed, 2 failed' })).toEqual({
    code: 1,
    last: '7 passed, 2 failed',
  });
});

it('fails for a run that was cut short', async () => {
  expect(await count({ stages: 'install\t0\t1\n' })).toEqual({ code: 1, last: '1 passed, 1 failed' });
});

it('fails for a skipped test without a reason only', async () => {
  const explained = report(1, 0, [skipped({ skipReason: 'there is no python3' })]);
  expect((await count({ ...good, 'test.vitest.json': explained })).code).toBe(0);
  expect((await count({ ...good, 'test.vitest.json': report(1, 0, [skipped({})]) })).code).toBe(1);
});
