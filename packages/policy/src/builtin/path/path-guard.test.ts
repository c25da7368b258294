import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { contextOf } from '../hook-context.test-support.js';
import { PathGuard, type PathGuardOptions } from './path-guard.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'path-guard-')));
const work = join(root, 'work');
const home = join(root, 'home');
mkdirSync(join(work, 'deep/er'), { recursive: true });
mkdirSync(join(root, 'work-not'));
mkdirSync(join(root, 'secret/inner'), { recursive: true });
mkdirSync(home);
writeFileSync(join(root, 'secret/key'), 'secret');
writeFileSync(join(work, 'file'), 'x');
symlinkSync('../secret', join(work, 'link'));
symlinkSync('/etc/does-not-exist-yet', join(work, 'dangling'));
symlinkSync('../secret/inner', join(work, 'inner'));
symlinkSync('loop-b', join(work, 'loop-a'));
symlinkSync('loop-a', join(work, 'loop-b'));
symlinkSync('deep', join(work, 'good-link'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const inWork: PathGuardOptions = { paths: 'path', allow: [work], cwd: work, home };
async function ask(options: PathGuardOptions, path: unknown): Promise<'allow' | string> {
  const answer = await new PathGuard(options).execute(contextOf({ args: path === undefined ? {} : { path } }));
  return answer?.allow === false ? (answer.error ?? '') : 'allow';
}

describe('PathGuard: inside of folders', () => {
  it.each(
    [
      'file',
      './file',
      'deep/../file',
      'new/not/there',
      'good-link/new',
      join(work, 'file'),
      `${work}//deep/./er/`,
      work,
      '.',
      '',
    ].filter((path) => path !== ''),
  )('%s is inside', async (path) => expect(await ask(inWork, path)).toBe('allow'));
  it('a file URL is inside', async () =>
    expect(await ask({ ...inWork, allow: [work, root] }, pathToFileURL(join(work, 'file')).href)).toBe('allow'));

  it.each<[string, string]>([
    ['..', 'out of the folders'],
    ['../secret/key', 'out of the folders'],
    ['deep/../../secret/key', 'out of the folders'],
    ['/etc/passwd', 'out of the folders'],
    [join(root, 'work-not/x'), 'out of the folders'],
    [`${work}/../secret/key`, 'out of the folders'],
    ['link/key', 'out of the folders'],
    ['link', 'out of the folders'],
    ['link/new/file', 'out of the folders'],
    ['dangling', 'out of the folders'],
    // To a program that takes `..` away itself this is `file`; to the kernel it is `secret/file`.
    ['inner/../file', 'out of the folders'],
    ['~/x', 'out of the folders'],
    ['~', 'out of the folders'],
    ['~root/x', "another user's home"],
    ['file:///etc/passwd', 'out of the folders'],
    ['file:///etc%2Fpasswd', 'URL that names no file'],
    ['FILE:///etc/passwd', 'out of the folders'],
    [`${pathToFileURL(work).href}/%2e%2e/secret/key`, 'out of the folders'],
    ['https://example.com/x', 'URL of another kind'],
    ['/proc/self/root/etc/passwd', 'out of the folders'],
    ['/proc/self/cwd', 'out of the folders'],
    ['loop-a', 'cannot be resolved'],
    [' /etc/passwd', 'out of the folders'],
    ['file\0', 'NUL'],
    ['', 'is empty'],
    ['x'.repeat(5000), 'too long'],
  ])('%s is not', async (path, why) => expect(await ask(inWork, path)).toContain(why));

  it.each<[unknown]>([[5], [null], [{}], [['file', 5]], [['file', '../x']]])(
    'what is no path is not: %j',
    async (path) => {
      expect(await ask(inWork, path)).not.toBe('allow');
    },
  );

  it('a call without a path is denied, unless it may be without', async () => {
    expect(await ask(inWork, undefined)).toContain('no path');
    expect(await ask({ ...inWork, missing: 'allow' }, undefined)).toBe('allow');
  });

  it('looks at all paths that there are', async () => {
    const guard = new PathGuard({ ...inWork, paths: ['path', 'edits[*].file'] });
    const answer = async (args: object) =>
      (await guard.execute(contextOf({ args: args as Record<string, unknown> })))?.allow;
    expect(await answer({ path: 'file', edits: [{ file: 'file' }] })).toBeUndefined();
    expect(await answer({ path: 'file', edits: [{ file: 'file' }, { file: '/etc/passwd' }] })).toBe(false);
    expect(await answer({ path: ['file', '/etc/passwd'] })).toBe(false);
  });

  it('follows a folder of the list that is a link itself', async () => {
    symlinkSync(work, join(root, 'alias'));
    expect(await ask({ ...inWork, allow: [join(root, 'alias')] }, join(work, 'file'))).toBe('allow');
    expect(await ask({ ...inWork, allow: [join(root, 'alias')] }, join(root, 'alias/file'))).toBe('allow');
  });

  it('does not see that a file has another name (a hard link): the limit that is written down', async () => {
    linkSync(join(root, 'secret/key'), join(work, 'hard'));
    expect(await ask(inWork, 'hard')).toBe('allow');
  });
});

describe('PathGuard: out of folders', () => {
  const noSecrets: PathGuardOptions = {
    paths: 'path',
    deny: [join(root, 'secret'), '*/.env', '~/.ssh', '*.pem'],
    cwd: work,
    home,
  };
  it.each([
    join(root, 'secret/key'),
    join(root, 'SECRET/Key'),
    join(root, 'secret'),
    'link/key',
    '.env',
    'deep/.ENV',
    '~/.ssh/id_rsa',
    join(home, '.ssh/id_rsa'),
    'a/b/c.pem',
    'C.PEM',
  ])('%s is denied', async (path) => expect(await ask(noSecrets, path)).toContain('is denied'));
  it.each(['file', join(root, 'secrets'), 'env', '.envrc', '/etc/passwd'])('%s is not', async (path) =>
    expect(await ask(noSecrets, path)).toBe('allow'),
  );

  it('a link that is named like a denied file is denied, wherever it leads', async () => {
    symlinkSync('../file', join(work, 'deep/.env'));
    expect(await ask(noSecrets, 'deep/.env')).toContain('is denied');
  });

  it('deny beats allow', async () => {
    expect(await ask({ ...noSecrets, allow: [root] }, '../secret/key')).toContain('is denied');
  });

  it('says nothing of the path to the model', async () => {
    expect(await ask(inWork, '/etc/hunter2')).not.toContain('hunter2');
  });
});

describe('PathGuard: a mistake stops the start', () => {
  it.each<[string, object, string]>([
    ['a typo', { alow: ['/x'] }, 'Did you mean `allow`'],
    ['no list', {}, 'needs `allow` or `deny`'],
    ['an empty list', { allow: [] }, 'is empty'],
    ['a relative folder', { allow: ['x'] }, 'must be absolute'],
    ['no path', { paths: [], deny: ['/x'] }, 'is an empty list'],
    ['a path that is none', { paths: 'a[', deny: ['/x'] }, 'no path into arguments'],
    ['a glob that is none', { deny: ['/x/[a'] }, 'without its'],
  ])('%s', (_name, options, message) => {
    expect(() => new PathGuard({ paths: 'path', ...options } as PathGuardOptions)).toThrow(
      expect.objectContaining({ code: 'HO_POLICY_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});

describe('PathGuard against the kernel', () => {
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'work',
    'link',
    'inner',
    'deep',
    'er',
    'file',
    'key',
    'secret',
    'good-link',
    'dangling',
    'new',
    'home',
    '/',
    '~',
    ' ',
  );
  const path = fc
    .tuple(fc.constantFrom('', '/', `${work}/`, `${root}/`), fc.array(part, { minLength: 1, maxLength: 7 }))
    .map(([start, parts]) => start + parts.join('/'));

  it('whatever a random path opens, it is inside if the guard lets it pass', async () => {
    const guard = new PathGuard(inWork);
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(path, async (text) => {
        const answer = await guard.execute(contextOf({ args: { path: text } }));
        if (answer?.allow === false) return;
        passed++;
        let real: string;
        try {
          real = realpathSync.native(text.startsWith('/') ? text : `${work}/${text}`);
        } catch {
          return;
        }
        expect(real === work || real.startsWith(`${work}/`)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(passed).toBeGreaterThan(50);
  }, 120_000);
});

it('does not look up paths without an end', async () => {
  const guard = new PathGuard({ paths: 'paths', allow: ['/'] });
  expect(await guard.execute(contextOf({ args: { paths: Array(1000).fill('/a') } }))).toBeUndefined();
  expect(await guard.execute(contextOf({ args: { paths: Array(1001).fill('/a') } }))).toMatchObject({ allow: false });
});
