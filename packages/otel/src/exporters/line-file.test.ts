import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LineFile } from './line-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'line-file-'));
  path = join(folder, 'lines');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The class as JavaScript, for a process of its own; where the packages are found. */
const built = join(import.meta.dirname, `../../../../.cache/line-file-${process.pid}.mjs`);
beforeAll(async () => {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'line-file.ts'), external: /^@|^node:/ });
  await bundle.write({ file: built, format: 'esm' });
  await bundle.close();
});
afterAll(() => rmSync(built, { force: true }));

const bytes = (text: string) => Buffer.from(text);
const pending = () => `${path}.${process.pid}.tmp`;

/** Writes in a process whose files may have `kib` KiB at most, until a line does not fit and is written in part. */
function writeLimited(target: string, kib: number): string {
  // The limit comes as an error only where the signal that goes with it is ignored.
  const script = `
    process.on('SIGXFSZ', () => {});
    const fs = await import('node:fs');
    const { execFileSync } = await import('node:child_process');
    const { LineFile } = await import(${JSON.stringify(pathToFileURL(built).href)});
    const file = new LineFile(${target});
    const failed = [];
    for (const text of ['a'.repeat(600), 'b'.repeat(${kib * 1024}), 'c'.repeat(100)]) {
      try { file.write(Buffer.from(text)); } catch {
        failed.push(text[0]);
        execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
      }
    }
    file.close();
    console.log(failed.join(''));`;
  const command = `ulimit -S -f ${kib}; exec "$0" --input-type=module -e "$1"`;
  return execFileSync('bash', ['-c', command, process.execPath, script], { encoding: 'utf8' }).trim();
}

describe('a line that did not fit', () => {
  it('is taken back, and the next one stands behind the last whole one', () => {
    expect(writeLimited(JSON.stringify({ path }), 4)).toBe('b');
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(600)}\n${'c'.repeat(100)}\n`);
  });

  it('stays torn in a descriptor of the caller, without a hole', () => {
    expect(writeLimited(`{ fd: fs.openSync(${JSON.stringify(path)}, 'w') }`, 4)).toBe('b');
    const [first, torn, last, end] = readFileSync(path, 'utf8').split('\n');
    expect([first, last, end]).toEqual(['a'.repeat(600), 'c'.repeat(100), '']);
    expect(torn).toMatch(/^b+$/);
  });
});

describe('a whole file', () => {
  const open = () => {
    const file = new LineFile({ path, whole: true });
    file.open();
    return file;
  };

  it('gets its name when it is closed; until then the older one stays', () => {
    writeFileSync(path, 'old\n');
    const file = open();
    file.write(bytes('new'));
    expect(readFileSync(path, 'utf8')).toBe('old\n');
    expect(readFileSync(pending(), 'utf8')).toBe('new\n');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(readdirSync(folder)).toEqual(['lines']);
  });

  it('has the permissions of the one it replaces, and goes where a link leads', () => {
    const real = join(folder, 'real');
    writeFileSync(real, 'old\n');
    chmodSync(real, 0o640);
    symlinkSync(real, path);
    const file = open();
    file.write(bytes('new'));
    file.close();
    expect(readFileSync(real, 'utf8')).toBe('new\n');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).sort()).toEqual(['lines', 'real']);
  });

  it('is written in place where it has a second name, and where it is a device', () => {
    writeFileSync(path, 'old\n');
    linkSync(path, join(folder, 'other'));
    const file = open();
    file.write(bytes('new'));
    expect(existsSync(pending())).toBe(false);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('new\n');
    file.close();
    const device = new LineFile({ path: '/dev/null', whole: true });
    device.write(bytes('x'));
    device.close();
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('is written in place into a pipe', () => {
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, 'r+');
    const file = open();
    file.write(bytes('new'));
    file.close();
    closeSync(reader);
    expect(readdirSync(folder)).toEqual(['lines']);
  });
});
