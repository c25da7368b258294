import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { withHooks, withoutHooks } from './claude-settings.js';
import { type Connection, connectionOf, type Plan } from './connections.js';
import { applyChange, diffText, removeBackup } from './file-change.js';
import { pluginState, withoutPlugin, withPlugin } from './hermes-config.js';

const folder = mkdtempSync(join(tmpdir(), 'install-'));
afterAll(() => rmSync(folder, { recursive: true }));

let homes = 0;
function homeWith(config?: string) {
  const home = join(folder, `home-${++homes}`);
  mkdirSync(home, { recursive: true });
  if (config !== undefined) writeFileSync(join(home, 'config.yaml'), config, { mode: 0o640 });
  return { home, read: () => readFileSync(join(home, 'config.yaml'), 'utf8') };
}

const hermes = (home: string) => connectionOf('hermes', { env: { HERMES_HOME: home } });

function carryOut({ change, steps }: Plan, isUndo = false): void {
  for (const { run } of steps) run();
  if (change.before !== change.after) applyChange(change);
  if (isUndo) removeBackup(change.path);
}

const install = (connection: Connection) => carryOut(connection.install());
const uninstall = (connection: Connection) => carryOut(connection.uninstall(), true);

describe('withPlugin', () => {
  it.each([
    ['', 'plugins:\n  enabled:\n    - hermes-observer\n'],
    ['# only a comment\n', '# only a comment\nplugins:\n  enabled:\n    - hermes-observer\n'],
    ['model: x   # mine', 'model: x   # mine\nplugins:\n  enabled:\n    - hermes-observer\n'],
    [
      'plugins:\n    enabled:   # these\n    - a  # one\n    - b\n\nz: 1\n',
      'plugins:\n    enabled:   # these\n    - a  # one\n    - b\n    - hermes-observer\n\nz: 1\n',
    ],
    ['plugins: {enabled: [a, b]}\n', 'plugins: {enabled: [a, b, hermes-observer]}\n'],
    ['plugins:\n  enabled: []\n', 'plugins:\n  enabled: [hermes-observer]\n'],
    ['plugins:\n  # why\n  disabled: [x]\n', 'plugins:\n  # why\n  enabled: [hermes-observer]\n  disabled: [x]\n'],
    ['plugins:\n  enabled:\n', undefined],
    ['plugins:\n', undefined],
    ['plugins:\n  enabled: [a]\n  disabled: [hermes-observer]\n', undefined],
    ['{}\n', undefined],
  ])('enables it in %j and leaves all else as it is', (text, wanted) => {
    const result = withPlugin(text);
    if (wanted !== undefined) expect(result).toBe(wanted);
    expect(pluginState(result)).toMatchObject({ isEnabled: true, isDisabled: false });
    expect(withPlugin(result)).toBe(result);
    expect(pluginState(withoutPlugin(result)).isEnabled).toBe(false);
  });

  it('keeps anchors, long texts and multi-line texts', () => {
    const text = `base: &b\n  a: 1\nother:\n  <<: *b\n  long: ${'word '.repeat(60)}\ntext: |\n  one\n   two\nplugins:\n  enabled:\n    - a\n`;
    expect(withPlugin(text)).toBe(`${text}    - hermes-observer\n`);
  });

  it.each(['a: [', '- a\n', 'just text'])('refuses %j', (text) => {
    expect(() => withPlugin(text)).toThrow(expect.objectContaining({ code: 'HO_INSTALL' }));
  });
});

describe('install hermes', () => {
  it('puts the plugin, the command of the service and the setting in place, and undoes it to the byte', () => {
    const config = 'model:   x # mine\nplugins:\n  enabled: [a]\n';
    const { home, read } = homeWith(config);
    const plan = hermes(home).install();
    expect(diffText(plan.change)).toContain('+  enabled: [a, hermes-observer]');
    expect(existsSync(join(home, 'plugins'))).toBe(false);
    carryOut(plan);
    const plugin = join(home, 'plugins/hermes-observer');
    expect(readdirSync(plugin)).toEqual(expect.arrayContaining(['__init__.py', 'plugin.yaml', 'service.json']));
    expect(readdirSync(plugin)).not.toContain('__pycache__');
    const { command } = JSON.parse(readFileSync(join(plugin, 'service.json'), 'utf8')) as { command: string[] };
    expect(command).toEqual([process.execPath, expect.stringMatching(/^\/.*hermes-observer\.js$/), 'serve']);
    expect(existsSync(command[1] ?? '')).toBe(true);
    expect(parse(read()).plugins.enabled).toEqual(['a', 'hermes-observer']);
    expect(statSync(join(home, 'config.yaml')).mode & 0o777).toBe(0o640);
    install(hermes(home));
    uninstall(hermes(home));
    expect(read()).toBe(config);
    expect(readdirSync(home).sort()).toEqual(['config.yaml', 'plugins']);
    expect(readdirSync(join(home, 'plugins'))).toEqual([]);
  });

  it('takes no flag that it cannot carry out: the agent is told by its environment', () => {
    const { home, read } = homeWith('a: 1\n');
    const env = { HERMES_HOME: home };
    const cases = [
      [{ policy: true }, 'HERMES_OBSERVER_POLICY=on'],
      [{ policyUnreachable: 'allow' }, 'HERMES_OBSERVER_POLICY_UNREACHABLE=allow'],
      [{ capture: 'redacted' }, 'HERMES_OBSERVER_CAPTURE=redacted'],
    ] as const;
    for (const [options, variable] of cases)
      expect(() => connectionOf('hermes', { ...options, env }).install()).toThrow(variable);
    expect(read()).toBe('a: 1\n');
    connectionOf('hermes', { policy: false, policyUnreachable: 'block', capture: 'none', env }).install();
  });

  it('undoes only its own part of settings that were changed since', () => {
    const { home, read } = homeWith('plugins:\n  enabled: [a]\n');
    install(hermes(home));
    writeFileSync(join(home, 'config.yaml'), `${read()}later: 1 # mine\n`);
    uninstall(hermes(home));
    expect(read()).toBe('plugins:\n  enabled: [a]\nlater: 1 # mine\n');
  });

  it('leaves what others put into the folder of the plugin, or changed there, and names it', () => {
    const { home } = homeWith('a: 1\n');
    const plugin = join(home, 'plugins/hermes-observer');
    install(hermes(home));
    mkdirSync(join(plugin, '__pycache__'));
    writeFileSync(join(plugin, '__pycache__/hooks.cpython-312.pyc'), 'of ours');
    writeFileSync(join(plugin, '__pycache__/mine.cpython-312.pyc'), 'of mine');
    mkdirSync(join(plugin, 'notes/empty'), { recursive: true });
    writeFileSync(join(plugin, 'notes/mine.txt'), 'mine');
    writeFileSync(join(plugin, 'words.py'), '# changed\n');
    // Installing anew keeps both: what was changed goes aside.
    install(hermes(home));
    expect(readFileSync(join(plugin, 'words.py.before-hermes-observer'), 'utf8')).toBe('# changed\n');
    expect(readFileSync(join(plugin, 'words.py'), 'utf8')).not.toBe('# changed\n');
    writeFileSync(join(plugin, 'hooks.py'), '# changed too\n');
    const plan = hermes(home).uninstall();
    expect(plan.left?.map((line) => line.replace(`${plugin}/`, '')).sort()).toEqual([
      'leaves __pycache__/mine.cpython-312.pyc, which was not installed',
      'leaves hooks.py, which was changed since',
      'leaves notes/mine.txt, which was not installed',
      'leaves words.py.before-hermes-observer, which was not installed',
    ]);
    carryOut(plan, true);
    const left = readdirSync(plugin, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(left.map(({ name }) => name).sort()).toEqual([
      'hooks.py',
      'mine.cpython-312.pyc',
      'mine.txt',
      'words.py.before-hermes-observer',
    ]);
    expect(hermes(home).uninstall()).toMatchObject({ steps: [], left: expect.objectContaining({ length: 4 }) });
  });

  it('leaves a link, and a plugin that was enabled before', () => {
    const { home, read } = homeWith('plugins: {enabled: [hermes-observer]} # mine\n');
    install(hermes(home));
    install(hermes(home));
    uninstall(hermes(home));
    expect(read()).toBe('plugins: {enabled: [hermes-observer]} # mine\n');
    symlinkSync(folder, join(home, 'plugins/hermes-observer'));
    const plan = hermes(home).uninstall();
    expect([plan.steps, plan.left]).toEqual([[], [expect.stringMatching(/^leaves .*hermes-observer, which was not/)]]);
  });

  it('takes a file away that was not there before', () => {
    const { home } = homeWith();
    install(hermes(home));
    uninstall(hermes(home));
    expect(existsSync(join(home, 'config.yaml'))).toBe(false);
  });

  it('keeps links, and refuses a plugin folder that is one', () => {
    const { home } = homeWith();
    writeFileSync(join(home, 'real.yaml'), 'a: 1\n');
    symlinkSync('real.yaml', join(home, 'config.yaml'));
    install(hermes(home));
    expect(readFileSync(join(home, 'real.yaml'), 'utf8')).toContain('hermes-observer');
    rmSync(join(home, 'plugins/hermes-observer'), { recursive: true });
    symlinkSync(folder, join(home, 'plugins/hermes-observer'));
    expect(() => install(hermes(home))).toThrow('is a link');
  });

  it('needs an agent', () => {
    expect(() => hermes(join(folder, 'nowhere'))).toThrow(expect.objectContaining({ code: 'HO_INSTALL' }));
  });
});

describe('install claude-code', () => {
  const claude = (home: string) => connectionOf('claude-code', { env: { CLAUDE_CONFIG_DIR: home } });

  it('adds a hook for each event beside those that are there, and undoes it to the byte', () => {
    const home = join(folder, 'claude');
    mkdirSync(home);
    const path = join(home, 'settings.json');
    const own = { hooks: [{ type: 'command', command: './mine.sh' }] };
    const before = `${JSON.stringify({ model: 'm', hooks: { Stop: [own] } }, null, 4)}\n`;
    writeFileSync(path, before);
    install(claude(home));
    const settings = JSON.parse(readFileSync(path, 'utf8')) as { hooks: Record<string, unknown[]> };
    expect(settings.hooks.Stop).toEqual([
      own,
      { hooks: [{ type: 'command', command: expect.stringContaining(' hook claude-code'), timeout: 5 }] },
    ]);
    expect(Object.keys(settings.hooks)).toHaveLength(11);
    expect(readFileSync(path, 'utf8')).toContain('\n    "model"');
    install(claude(home));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(settings);
    uninstall(claude(home));
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each([
    ['{', 'are no JSON: mend them first'],
    ['{"hooks": 1}', 'have an unknown shape: nothing was changed'],
  ])('names the file of settings that it cannot read: %s', (text, problem) => {
    const home = join(folder, 'claude-broken');
    mkdirSync(home, { recursive: true });
    const path = join(home, 'settings.json');
    writeFileSync(path, text);
    const message = `${path}: the settings of Claude Code ${problem}`;
    for (const change of [install, uninstall]) {
      expect(() => change(claude(home))).toThrow(expect.objectContaining({ code: 'HO_INSTALL', message }));
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('asks policy about calls and their results, where it is told to, and for nothing else', () => {
    const home = join(folder, 'claude-policy');
    mkdirSync(home);
    const env = { CLAUDE_CONFIG_DIR: home };
    install(connectionOf('claude-code', { env, policy: true, policyUnreachable: 'allow' }));
    const { hooks } = JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as {
      hooks: Record<string, unknown>;
    };
    expect(hooks.PreToolUse).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command: expect.stringMatching(/ hook claude-code --policy --policy-unreachable allow$/),
            timeout: 600,
            onFailure: 'block',
          },
        ],
      },
    ]);
    expect(JSON.stringify(hooks.PostToolUse)).toContain('--policy');
    expect(JSON.stringify({ ...hooks, PreToolUse: [], PostToolUse: [] })).not.toContain('--policy');
    uninstall(connectionOf('claude-code', { env }));
    expect(existsSync(join(home, 'settings.json'))).toBe(false);
  });

  it('undoes to the byte what was installed twice with other options', () => {
    const home = join(folder, 'claude-twice');
    mkdirSync(home);
    const path = join(home, 'settings.json');
    writeFileSync(path, '{"model":   "m"}');
    install(claude(home));
    install(connectionOf('claude-code', { env: { CLAUDE_CONFIG_DIR: home }, capture: 'redacted' }));
    expect(readFileSync(path, 'utf8').match(/ hook claude-code --capture redacted/g)).toHaveLength(11);
    expect(readFileSync(path, 'utf8').match(/ hook claude-code/g)).toHaveLength(11);
    uninstall(claude(home));
    expect(readFileSync(path, 'utf8')).toBe('{"model":   "m"}');
  });

  it('takes out its own alone', () => {
    const before = '{"a":1}';
    expect(
      JSON.parse(withoutHooks(withHooks(before, "'/x y/node' '/y z/hermes-observer.js' hook claude-code"))),
    ).toEqual({ a: 1 });
    expect(withoutHooks('{ "hooks": {} }')).toBe('{ "hooks": {} }');
  });

  it.each(['{', '[]', 'null', '{"hooks":[]}', '{"hooks":{"Stop":{}}}'])('refuses settings like %s', (text) => {
    expect(() => withHooks(text, 'x')).toThrow(expect.objectContaining({ code: 'HO_INSTALL' }));
  });
});
