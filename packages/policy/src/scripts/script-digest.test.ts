import { mkdtempSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { commandDigest, fileDigest } from './script-digest.js';

describe('fileDigest', () => {
  it('sees an edit of the same length with the time set back, also of a file that it remembers', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'digest-')), 'hook.sh');
    writeFileSync(path, 'exit 2\n');
    // Younger files are not remembered.
    await sleep(2200);
    const { atime, mtime } = statSync(path);
    const before = await fileDigest(path);
    expect(await fileDigest(path)).toBe(before);
    await sleep(20);
    writeFileSync(path, 'exit 0\n');
    utimesSync(path, atime, mtime);
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
});
