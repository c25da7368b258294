import { expect, it } from 'vitest';
import { runProcess } from './run-process.js';

const run = (line: string, timeoutMs: number) =>
  runProcess({
    argv: ['/bin/sh', '-c', line],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    input: '',
    timeoutMs,
    maxBytes: 1000,
    signal: undefined,
  });

it('runs 32 at once, the others after them, and none that waited too long', async () => {
  const began = performance.now();
  const first = Array.from({ length: 32 }, () => run('sleep 1', 20_000));
  const later = Array.from({ length: 8 }, () => run('echo done', 20_000));
  const late = run('echo late', 500);
  late.catch(() => undefined);
  const ended = await Promise.race([...later.map((one) => one.then(() => 'later')), first[0]?.then(() => 'first')]);
  expect(ended).toBe('first');
  await Promise.all(first);
  expect((await Promise.all(later)).map(({ stdout }) => stdout)).toEqual(Array(8).fill('done\n'));
  await expect(late).rejects.toMatchObject({ kind: 'timeout', message: 'it was not begun within 500 ms' });
  expect(performance.now() - began).toBeLessThan(15_000);
  expect((await run('echo again', 5_000)).stdout).toBe('again\n');
});
