// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
import { describe, expect, it } from 'vitest';
import { registerHook } from '../../hooks/registered-hook.js';
import { contextOf } from '../hook-context.test-support.js';
import { ReadOnlyGuard, type ReadOnlyGuardOptions } from './read-only-guard.js';

async function passes(
  tool: string,
  args: Record<string, unknown> = {},
  options: ReadOnlyGuardOptions = { shell: 'bash' },
) {
  const guard = new ReadOnlyGuard(options);
  registerHook(guard, 1);
  return (await guard.execute(contextOf({ tool, args })))?.allow !== false;
}

describe('ReadOnlyGuard: tools', () => {
  it('lets those pass that only read, and no others', async () => {
    for (const tool of ['Read', 'Grep', 'read_file', 'search_files'])
      expect([tool, await passes(tool)]).toEqual([tool, true]);
    for (const tool of ['Write', 'Edit', 'write_file', 'patch', 'READ', 'Read ', 'mcp__x__get', '']) {
      expect([tool, await passes(tool)]).toEqual([tool, false]);
    }
  });

  it('goes by the lists that it is given; what writes beats what reads', async () => {
    const options: ReadOnlyGuardOptions = { read: ['crm__get_*', 'crm__*'], write: ['crm__delete*'] };
    expect(await passes('crm__get_user', {}, options)).toBe(true);
    expect(await passes('crm__delete_user', {}, options)).toBe(false);
    expect(await passes('Read', {}, options)).toBe(false);
    expect(await passes('anything', {}, { ...options, unknown: 'allow' })).toBe(true);
    expect(await passes('crm__delete_user', {}, { ...options, unknown: 'allow' })).toBe(false);
  });

  it('looks at commands also where unknown tools may run', async () => {
    expect(await passes('terminal', { command: 'rm x' }, { unknown: 'allow' })).toBe(false);
    expect(await passes('terminal', { cmd: 'ls' }, { unknown: 'allow' })).toBe(false);
    expect(await passes('run', { line: 'rm x' }, { commands: { run: 'line' } })).toBe(false);
    expect(await passes('run', { line: 'ls' }, { commands: { run: 'line' } })).toBe(true);
  });
});

describe('ReadOnlyGuard: commands that read', () => {
  it.each([
    'ls -la',
    'cat a | grep b | sort | uniq -c'.replace(' | uniq -c', ''),
    'rg -n foo src && head -5 x',
    'find . -name "*.ts" -type f',
    'find . -name x -exec grep -l y {} +',
    'git status',
    'git --no-pager log --oneline -5',
    'git -C sub diff HEAD~1',
    'echo hi 2>/dev/null',
    'for f in a b; do cat "$f"; done',
    'ls | xargs wc -l',
    "bash -c 'ls; pwd'",
    '/usr/bin/cat x',
    'cat "$HOME/x"',
  ])('%s', async (command) => expect(await passes('Bash', { command })).toBe(true));
});

describe('ReadOnlyGuard: commands that may write', () => {
  it.each([
    'rm x',
    'ls; rm x',
    'ls > out',
    'ls >> out',
    '> out',
    'cat x | tee y',
    'cat $(touch x)',
    'sort -o x x',
    'sort --outp=x x',
    'sort "$X" y',
    'find . -delete',
    'find . -fprint x',
    'find . -exec rm {} +',
    'find . -exec sh -c "rm x" \\;',
    'git commit -m x',
    'git push',
    'git branch -D x',
    'git log --output=x',
    'git -c core.pager=x log',
    'git diff --ext-diff',
    'git grep -Ovim x',
    'git',
    'sed -i s/a/b/ x',
    'awk \'{ print > "x" }\' y',
    'date -s 2020-01-01',
    'rg --pre ./evil x',
    'bash build.sh',
    'bash build.sh -c ls',
    'bash',
    './cat x',
    '/tmp/cat x',
    'CAT x',
    'nohup ls',
    'python3 x.py',
    'curl x',
    'uniq a b',
    '$X',
    'eval "$X"',
    'PATH=/evil ls',
    'echo x > /dev/tcp/host/80',
    '"unfinished',
    'constructor x',
  ])('%s', async (command) => expect(await passes('Bash', { command })).toBe(false));

  it('stops at a mistake', () => {
    expect(() => new ReadOnlyGuard({ raed: [] } as object)).toThrow('Did you mean `read`');
    expect(() => new ReadOnlyGuard({ commands: { x: 'a[' } })).toThrow('no path into arguments');
    expect(() => new ReadOnlyGuard({ read: ['[a'] })).toThrow('without its');
  });
});
