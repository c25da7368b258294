import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the built entries of core share one class of errors', async () => {
  const core = await import(new URL('../packages/core/dist/index.js', import.meta.url).href);
  const { SegmentLog } = await import(new URL('../packages/core/dist/segments.js', import.meta.url).href);
  const folder = await mkdtemp(join(tmpdir(), 'entries-'));
  try {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const error: unknown = await SegmentLog.open(file).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(core.ObserverError);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
