import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { refuseInputAsOutput } from './same-file.js';

const folder = mkdtempSync(join(tmpdir(), 'same-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
writeFileSync(at('a'), '');
writeFileSync(at('b'), '');
symlinkSync('a', at('symbolic'));
symlinkSync('symbolic', at('twice'));
symlinkSync('nowhere', at('dangling'));
linkSync(at('a'), at('hard'));

describe('refuseInputAsOutput', () => {
  it.each(['a', 'symbolic', 'twice', 'hard', './a'])('refuses %s for an input a', (name) => {
    expect(() => refuseInputAsOutput(at(name), [at('b'), at('a')])).toThrowError(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(`${at('a')} is the same file`) }),
    );
  });

  it.each(['b', 'new', 'dangling', 'no/such/folder'])('lets %s pass', (name) => {
    expect(() => refuseInputAsOutput(at(name), [at('a'), at('missing')])).not.toThrow();
  });

  it.skipIf(process.platform === 'win32')('lets a device be both', () => {
    expect(() => refuseInputAsOutput('/dev/null', ['/dev/null'])).not.toThrow();
  });
});
