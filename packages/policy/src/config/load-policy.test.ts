import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPolicy } from '../engine/policy.js';
import { type LoadedPolicy, type LoadOptions, loadPolicy, openPolicy } from './load-policy.js';
import { openDry } from './open-dry.js';
import { PolicyPlan } from './policy-plan.js';

let folder: string;
let file: string;
let open: LoadedPolicy[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-file-'));
  file = join(folder, 'policy.yaml');
});

afterEach(async () => {
  for (const policy of open) {
    for (const hook of policy.options.hooks) await hook.close?.();
    await policy.close();
  }
  open = [];
});

/** As the service does it, which answers are brought to. */
async function load(text: string, options: LoadOptions = {}): Promise<LoadedPolicy> {
  writeFileSync(file, text, { mode: 0o600 });
  const all = { onNotice: () => undefined, env: {}, ...options };
  const loaded = await openPolicy(new PolicyPlan(file, all), all);
  open.push(loaded);
  return loaded;
}

const call = (tool: string, args: Record<string, unknown>) => ({
  tool,
  args,
  callId: 'c',
  sessionId: 's',
  turnId: '',
  taskId: '',
});

const decide = async ({ options }: LoadedPolicy, tool: string, args: Record<string, unknown> = {}) => {
  const verdict = await createPolicy(options).decide(call(tool, args), { deadlineMs: 0 });
  return verdict.decision === 'allow' ? 'allow' : verdict.kind;
};

const ALL = `
name: everything
mode: enforce
store: { file: approvals, keep: 30d }
channels:
  command:
  web: { url: 'http://127.0.0.1:4890/approvals' }
  ops: { kind: webhook, url: 'http://127.0.0.1:1/hook', secret: '\${OPS_SECRET}' }
hooks:
  SessionStart:
    - module: ./rules/start.mjs
  PreToolUse:
    - use: AuditLog
    - use: CommandGuard
      match: terminal
      with:
        deny: [shutdown, { program: rm, flags: -r, outside: [./work] }]
    - use: PathGuard
      match: { tool: [write_file, /edit_.*/] }
      with: { paths: path, allow: [./work] }
    - use: RateLimit
      match: mcp__*
      with: { calls: 2, per: 1h }
    - use: SpendLimit
      name: payments
      match: pay
      with: { amount: amount, askAbove: 100, blockAbove: 1000, terms: { expires: 5m, approvers: ['command:1000'] } }
    - use: ApprovalGate
      match: { tool: send_mail, args: { to: { glob: '*@other.example' } } }
      with: { expires: never, remember: { scopes: [session], max: 1h }, channels: [web] }
    - command: [node, ./rules/no-friday.mjs]
      match: deploy
      timeout: 10s
    - command: 'cat >/dev/null; exit 2'
      shell: true
      name: never
      match: nuke
  PostToolUse:
    - use: ResultTruncate
      with: { maxCharacters: 1000 }
`;

function writeRules(): void {
  mkdirSync(join(folder, 'rules'), { recursive: true });
  mkdirSync(join(folder, 'work'), { recursive: true });
  writeFileSync(
    join(folder, 'rules/start.mjs'),
    'export default ({ agent }) => (agent === "bad" ? { allow: false, error: "no" } : undefined);\n',
  );
  writeFileSync(
    join(folder, 'rules/no-friday.mjs'),
    'process.stdin.resume(); process.stderr.write("not on fridays"); process.exitCode = 2;\n',
  );
}

it('everything that a file can say is there and holds', async () => {
  writeRules();
  const policy = await load(ALL, { env: { OPS_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` } });
  expect(policy.options.name).toBe('everything');
  expect(await decide(policy, 'terminal', { command: 'ls; sudo shutdown -h now' })).toBe('denied');
  expect(await decide(policy, 'terminal', { command: `rm -fr ${folder}/work/a` })).toBe('allow');
  expect(await decide(policy, 'terminal', { command: 'rm -fr /etc' })).toBe('denied');
  expect(await decide(policy, 'edit_file', { path: join(folder, 'elsewhere') })).toBe('denied');
  expect(await decide(policy, 'edit_file', { path: join(folder, 'work/a') })).toBe('allow');
  expect([
    await decide(policy, 'mcp__a__b'),
    await decide(policy, 'mcp__a__c'),
    await decide(policy, 'mcp__a__d'),
  ]).toEqual(['allow', 'allow', 'denied']);
  expect(await decide(policy, 'pay', { amount: 50 })).toBe('allow');
  expect(await decide(policy, 'pay', { amount: 500 })).toBe('pending');
  expect(await decide(policy, 'pay', { amount: 5000 })).toBe('denied');
  expect(await decide(policy, 'send_mail', { to: 'a@own.example' })).toBe('allow');
  expect(await decide(policy, 'send_mail', { to: 'a@other.example' })).toBe('pending');
  expect(await decide(policy, 'deploy')).toBe('denied');
  expect(await decide(policy, 'nuke')).toBe('denied');
  const created = createPolicy(policy.options);
  expect((await created.sessionStart({ sessionId: 's', agent: 'bad' }))?.kind).toBe('denied');
  const { result } = await created.result(call('read', {}), { status: 'ok', result: 'x'.repeat(5000) });
  expect((result as string).length).toBeLessThan(1100);
  const pending = (await policy.approvals?.pending()) ?? [];
  expect(
    pending.map(({ tool, channels, approvers, expiresAt }) => [tool, channels, approvers, expiresAt === null]),
  ).toEqual([
    ['pay', ['command', 'web', 'ops'], ['command:1000'], false],
    ['send_mail', ['web'], [], true],
  ]);
});

const faults: readonly (readonly [title: string, text: string, message: RegExp])[] = [
  ['a key', 'hooks: {}\nmoed: observe\n', /policy\.yaml:2:1: there is no `moed` here\. Did you mean `mode`\?/],
  ['an event', 'hooks:\n  PreToolUes: []\n', /:2:3: there is no `PreToolUes` here\. Did you mean `PreToolUse`\?/],
  [
    'a hook that is built in',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGaurd\n',
    /:3:12: No hook `ReadOnlyGaurd` is built in\. Did you mean `ReadOnlyGuard`\?/,
  ],
  [
    'a key of a hook',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      onErorr: allow\n',
    /:4:7: .*`onErorr`.*Did you mean `onError`\?/,
  ],
  [
    'an option',
    'hooks:\n  PreToolUse:\n    - use: SpendLimit\n      with:\n        amount: amount\n        blokAbove: 5\n',
    /:6:9: .*`blokAbove`.*`blockAbove`\?/,
  ],
  [
    'a kind of hook',
    'hooks:\n  PreToolUse:\n    - comand: [a]\n',
    /:3:7: A hook needs one of: use, command, module\. Did you mean `command`\?/,
  ],
  [
    'a channel',
    'channels: { command: }\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n      with: { channels: [comand] }\n',
    /:5:26: there is no channel `comand`\. Did you mean `command`\?/,
  ],
  [
    'a channel of an approver',
    'channels: { command: }\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n      with: { approvers: ["slakc:U1"] }\n',
    /:5:27: there is no channel `slakc`/,
  ],
  [
    'an approver without a channel',
    'channels: { command: }\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n      with: { approvers: [anna] }\n',
    /An approver is/,
  ],
  [
    'a kind of channel',
    'channels:\n  salck: { token: a }\nhooks: {}\n',
    /:2:3: there is no kind of channel `salck`\. Did you mean `slack`\?/,
  ],
  ['an option of a channel', 'channels:\n  web: { ulr: x }\nhooks: {}\n', /:2:10: .*`ulr`.*`url`\?/],
  ['a word', 'mode: enforced\nhooks: {}\n', /:1:7: `mode` cannot be enforced\. Did you mean `enforce`\?/],
  [
    'a time without its unit',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      timeout: 30\n',
    /:4:16: .*must be a time with its unit/,
  ],
  [
    'a glob',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: "pay_[a"\n',
    /:3:7: .*`\[` without its `\]`/,
  ],
  [
    'a glob that is a regular expression',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: { tool: "/pay_(/" }\n',
    /:4:22: .*no regular expression/,
  ],
  [
    'a path in arguments',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: { args: { "a[": 1 } }\n',
    /:3:7: /,
  ],
  [
    'a hook of another event',
    'hooks:\n  PreToolUse:\n    - use: ResultTruncate\n',
    /:3:7: `ResultTruncate` is for PostToolUse, not for PreToolUse\./,
  ],
  [
    'two of one name',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n    - use: ReadOnlyGuard\n',
    /:4:7: Two hooks for PreToolUse are named `ReadOnlyGuard`/,
  ],
  [
    'nobody to ask',
    'hooks:\n  PreToolUse:\n    - use: ApprovalGate\n',
    /:3:7: `ApprovalGate` asks a person, and there are no `channels`/,
  ],
  [
    'nobody to ask above a limit',
    'hooks:\n  PreToolUse:\n    - use: SpendLimit\n      with: { amount: a, askAbove: 1 }\n',
    /there are no `channels`/,
  ],
  ['a script that is not there', 'hooks:\n  PreToolUse:\n    - module: ./gone.mjs\n', /:3:7: `module` .*not there/],
  ['a variable that is no secret', `state: \${HOME}/x\nhooks: {}\n`, /:1:8: `state` refers to a variable/],
  [
    'a variable that is not set',
    `channels:\n  slack: { token: "\${NOT_SET}", signingSecret: a, channel: C024BE91L }\nhooks: {}\n`,
    /:2:19: .*needs the variable NOT_SET, which is not set/,
  ],
  ['a key twice', 'hooks: {}\nhooks: {}\n', /:2:1: /],
  ['no YAML', 'hooks: [\n', /policy\.yaml:\d+:\d+: /],
  ['no hooks', 'mode: observe\n', /`hooks` is missing/],
  ['the key of the hooks', 'hook:\n  PreToolUse: []\n', /:1:1: there is no `hook` here\. Did you mean `hooks`\?/],
  ['an empty file', '', /`hooks` is missing/],
  [
    'a glob that YAML takes for an alias',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: *pay\n',
    /:4:14: there is no anchor `&pay`.*needs quotes/,
  ],
  ['a star alone', 'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: *\n', /:4:\d+: .*needs quotes/],
  [
    'an option beside `with`',
    'channels: { command: }\nhooks:\n  PreToolUse:\n    - use: SpendLimit\n      askAbove: 100\n      with: { amount: a }\n',
    /:5:7: `askAbove` is an option of SpendLimit: put it under `with`\./,
  ],
  [
    'a missing `with`',
    'hooks:\n  PreToolUse:\n    - use: SpendLimit\n',
    /:3:7: `hooks\.PreToolUse\[0\]\.with\.amount` is missing\./,
  ],
  [
    'a list of tools',
    'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: [pay, refund]\n',
    /:4:14: .*must be a glob of a tool, or a map: for several tools, `\{ tool: \[a, b\] \}`/,
  ],
  [
    'a script of a command that is not there',
    'hooks:\n  PreToolUse:\n    - command: [node, gone.mjs]\n',
    /:3:7: .*gone\.mjs is not there/,
  ],
  [
    'a program that is not there',
    'hooks:\n  PreToolUse:\n    - command: [no-such-program]\n',
    /:3:7: .*no-such-program is not found/,
  ],
  ['a list', '- a\n', /:1:1: The file must be a map\./],
  ['a tag', 'hooks: !!js/function "x"\n', /:1:8: /],
  ['a command as one word', 'hooks:\n  PreToolUse:\n    - command: check.sh --all\n', /:3:7: .*shell: true/],
  [
    'two kinds at once',
    'hooks:\n  PreToolUse:\n    - use: AuditLog\n      module: ./a.mjs\n',
    /either `use` or `module`/,
  ],
  [
    'a secret that does not fit',
    'channels:\n  ops: { kind: webhook, url: "https://a.example", secret: short }\nhooks: {}\n',
    /:2:8: /,
  ],
];

it.each(faults)('a start is stopped, with the place, by a mistake in %s', async (_, text, message) => {
  const error: unknown = await load(text).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'HO_POLICY_CONFIG' });
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message.startsWith(`${file}:`)).toBe(true);
});

it('after a mistake nothing is left open or made for hooks behind it', async () => {
  const text = 'hooks:\n  PreToolUse:\n    - use: RateLimit\n      with: { calls: 1 }\n    - module: ./gone.mjs\n';
  await expect(load(text)).rejects.toMatchObject({ code: 'HO_POLICY_CONFIG' });
  // It is free again: the first attempt had it.
  const good = 'hooks:\n  PreToolUse:\n    - use: RateLimit\n      with: { calls: 1 }\n';
  expect(await decide(await load(good), 'a')).toBe('allow');
});

it('a file that is not there, or is no file, says so', async () => {
  await expect(loadPolicy(join(folder, 'gone.yaml'))).rejects.toThrow(
    /gone\.yaml cannot be read: there is no such file/,
  );
  await expect(loadPolicy(folder)).rejects.toMatchObject({ code: 'HO_POLICY_CONFIG' });
});

it('who may change a file, or read its secrets, is warned of', async () => {
  const warnings: string[] = [];
  const text = `channels:\n  ops: { kind: webhook, url: 'https://a.example', secret: 'whsec_${Buffer.alloc(32, 7).toString('base64')}' }\nhooks: {}\n`;
  const onWarning = (warning: string) => void warnings.push(warning);
  await load(text, { onWarning });
  expect(warnings).toEqual([]);
  chmodSync(file, 0o666);
  chmodSync(folder, 0o777);
  open.push(await loadPolicy(file, { state: join(folder, 'other'), onWarning }));
  expect(warnings).toEqual([
    expect.stringContaining('can be changed by others: chmod go-w'),
    expect.stringContaining('can be changed by others, and so can policy.yaml be replaced'),
    expect.stringContaining('has secrets in it and can be read by others'),
  ]);
});

it('secrets come from the environment, and no error quotes them', async () => {
  const text = `channels:\n  ops: { kind: webhook, url: 'https://a.example', secret: '\${OPS}' }\nhooks: {}\n`;
  const error: unknown = await load(text, { env: { OPS: 'hunter2-hunter2' } }).catch((thrown: unknown) => thrown);
  expect((error as Error).message).not.toContain('hunter2');
});

it('what survives a restart is beside the file, for its user alone, and is found again', async () => {
  const text =
    'channels: { command: }\nhooks:\n  PreToolUse:\n    - use: RateLimit\n      with: { calls: 1, per: 1h }\n    - use: ApprovalGate\n      match: pay\n';
  const first = await load(text);
  expect(await decide(first, 'pay', { a: 1 })).toBe('pending');
  expect(await decide(first, 'read')).toBe('allow');
  for (const hook of first.options.hooks) await hook.close?.();
  await first.close();
  open = [];
  const state = `${file}.state`;
  expect(readdirSync(state).sort()).toEqual(['approvals', 'approver-salt', 'limits']);
  expect(statSync(join(state, 'approvals')).mode & 0o077).toBe(0);
  const second = await load(text);
  expect((await second.approvals?.pending())?.map(({ tool }) => tool)).toEqual(['pay']);
  expect(second.options.approverSalt).toBe(first.options.approverSalt);
  expect(await decide(second, 'read')).toBe('denied');
});

it('a script whose file was changed asks to be accepted again', async () => {
  writeRules();
  const text = 'hooks:\n  PreToolUse:\n    - module: ./rules/start.mjs\n';
  await load(text);
  writeFileSync(join(folder, 'rules/start.mjs'), 'export default () => undefined;\n');
  await expect(load(text)).rejects.toThrow(/is not the one that was accepted/);
  // A dry run has a copy of the file of digests, and names the real one.
  const plan = new PolicyPlan(file, { env: {} });
  await expect(openDry(plan, { hasScripts: true })).rejects.toThrow(`in ${join(`${file}.state`, 'pins.json')} and`);
});

it('a guard of paths in a service has to know where agents work', async () => {
  const text = 'hooks:\n  PreToolUse:\n    - use: PathGuard\n      with: { paths: path, deny: [~/.ssh] }\n';
  await expect(load(text, { isRemote: true })).rejects.toThrow(/:4:13: `with.cwd` is missing/);
  expect(existsSync(`${file}.state`)).toBe(false);
});

it('in a program, channels that only the service can bring answers from are refused, with what works', async () => {
  const gate = 'hooks:\n  PreToolUse:\n    - use: ApprovalGate\n';
  const inProgram = async (channels: string, options: LoadOptions = {}) => {
    writeFileSync(file, `${channels}\n${gate}`, { mode: 0o600 });
    const loaded = await loadPolicy(file, { onNotice: () => undefined, ...options });
    open.push(loaded);
  };
  await expect(inProgram('channels: { terminal: , command: }')).rejects.toThrow(
    /:1:25: a channel `command` needs the service.*use `terminal`, or give the policy to `hermes-observer serve/,
  );
  await expect(inProgram("channels: { web: { url: 'http://a.example/approvals' } }")).rejects.toThrow(
    /:1:13: a channel `web` needs the service/,
  );
  await inProgram('channels: { terminal: }');
  await inProgram('state: web\nchannels: { web: }', { webUrl: 'http://127.0.0.1:1/approvals' });
});

it('a request that waits is announced again by the next process, with the whole command', async () => {
  const text =
    'channels: { terminal: { device: /nowhere } , command: }\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n';
  const notices: string[] = [];
  const onNotice = (notice: string) => void notices.push(notice);
  for (let i = 0; i < 2; i++) {
    const loaded = await load(text, { onNotice });
    expect(loaded.channels.map(({ name }) => name)).toEqual(['command', 'terminal']);
    expect(await decide(loaded, 'pay', { a: 1 })).toBe('pending');
    expect(await decide(loaded, 'pay', { a: 1 })).toBe('pending');
    await loaded.close();
    open = [];
  }
  expect(notices).toHaveLength(2);
  expect(notices[0]).toMatch(
    /^pay waits for an answer: hermes-observer policy approve [\w-]+ --policy .*policy\.yaml$/,
  );
  expect(notices[1]).toBe(notices[0]);
});
