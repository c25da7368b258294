import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { commandDigest, fileDigest } from './script-digest.js';

describe('fileDigest', () => {
  it('sees an edit of the same length with the time set back, also of a file that it remembers', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'digest-')), 'hook.sh');
    writeFileSync(path, 'exit 2\n');
    // To the second, so that it can be set to just that again.
    const old = new Date(1_700_000_000_000);
    utimesSync(path, old, old);
    // Younger files are not remembered.
    await sleep(2200);
    const before = await fileDigest(path);
    expect(await fileDigest(path)).toBe(before);
    await sleep(20);
    writeFileSync(path, 'exit 0\n');
    utimesSync(path, old, old);
    expect(await fileDigest(path)).not.toBe(before);
  });

  it('has none for what is no file', async () => {
    expect(await fileDigest('/nonexistent')).toBeUndefined();
    expect(await fileDigest(tmpdir())).toBeUndefined();
  });
});

describe('commandDigest', () => {
  it('keeps words apart, and a line from words', async () => {
    const digest = (argv: string[], shell = false) => commandDigest({ argv, shell, cwd: '/', env: {} });
    const all = await Promise.all([
      digest(['a', 'b c']),
      digest(['a b', 'c']),
      digest(['a', 'b', 'c']),
      digest(['a b c'], true),
      digest(['a b c']),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('of a line has the files that it reads and runs, not those it writes to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'digest-'));
    const changes = async (line: string) => {
      const command = { argv: [line], shell: true, cwd: folder, env: {} };
      writeFileSync(join(folder, 'f'), 'one');
      const before = await commandDigest(command);
      writeFileSync(join(folder, 'f'), 'two, and longer');
      return (await commandDigest(command)) !== before;
    };
    for (const line of ['cat > f', 'cat >>f', 'cat >| f; exit 0', 'sh x 2>f', 'sh x &> f']) {
      expect([line, await changes(line)]).toEqual([line, false]);
    }
    for (const line of ['sh f', 'sh < f', 'cat > f; sh f', 'sh f > log', 'sh x>log f']) {
      expect([line, await changes(line)]).toEqual([line, true]);
    }
  });
});
