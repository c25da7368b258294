import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The tree of each recording, as `view` prints it, against the committed one. `UPDATE_GOLDENS=1` writes them anew: then
 * each changed line is to be read against its recording before it is committed.
 */
const root = join(import.meta.dirname, '..');
const recordings = join(root, 'conformance/recordings');
const goldens = join(root, 'conformance/goldens');
const update = process.env.UPDATE_GOLDENS === '1';

const names = readdirSync(recordings, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ndjson'))
  .sort();

function view(name: string): string {
  const cli = join(root, 'packages/cli/bin/hermes-observer.js');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [cli, 'view', '--width', '80', join(recordings, name)],
    {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    },
  );
  expect(status, stderr).toBe(0);
  return stdout;
}

describe('golden trees', () => {
  it('exist for every recording', () => {
    expect(names.length).toBeGreaterThanOrEqual(30);
    const known = readdirSync(goldens, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
    if (!update) expect(known.sort()).toEqual(names.map((name) => name.replace(/\.ndjson$/, '.txt')).sort());
  });

  it.each(names)('%s', (name) => {
    const file = join(goldens, dirname(name), `${basename(name, '.ndjson')}.txt`);
    const text = view(name);
    if (update || !existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true });
      if (!update) expect.fail(`${file} is missing; make it with UPDATE_GOLDENS=1 and read it against the recording`);
      writeFileSync(file, text);
    }
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});
