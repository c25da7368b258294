import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileStore } from '@hermes-observer/policy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../listeners/memory-service.test-support.js';
import { PolicyScene } from './policy-scene.test-support.js';

const BIN = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));

let scene: PolicyScene;
beforeEach(() => {
  scene = new PolicyScene();
});
afterEach(() => scene.end());

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function policy(args: readonly string[], input = ''): Promise<Ran> {
  const [name = '', ...rest] = args;
  return run(
    ['policy', name, '--data', scene.data, '--socket', scene.socket, '--policy', scene.policy, ...rest],
    input,
  );
}

function run(args: readonly string[], input = ''): Promise<Ran> {
  return spawned(process.execPath, [BIN, ...args], input);
}

function spawned(program: string, args: readonly string[], input: string): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH ?? '', HOME: scene.folder },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      err += data.toString();
    });
    child.once('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

const write = (yaml: string) => writeFileSync(scene.policy, yaml, { mode: 0o600 });

const RULES = `
channels: { command: }
hooks:
  PreToolUse:
    - use: RateLimit
      with: { calls: 1, per: 1h }
    - use: SpendLimit
      match: pay
      with: { amount: amount, askAbove: 100, blockAbove: 1000, terms: { remember: { scopes: [session, arguments], max: 1h } } }
    - use: ReadOnlyGuard
      mode: observe
    - command: [sh, -c, 'cat >/dev/null; echo "not on fridays" >&2; exit 2']
      name: fridays
      match: deploy
`;

it('test: which gates fire and why; what it says can be expected, and nothing is changed', async () => {
  write(RULES);
  const asked = await policy(['test', '--tool', 'pay', '--args', '{"amount":500}', '--expect', 'ask']);
  expect(asked).toMatchObject({ code: 0, err: '' });
  expect(asked.out).toContain('SpendLimit     ask (asked): The amount is 500, above 100.');
  expect(asked.out).toContain('ReadOnlyGuard  deny (denied, only observed): ');
  expect(asked.out).toContain('→ a person is asked by SpendLimit');
  expect(asked.out).toContain('not for this call: fridays');
  // The one call of this hour is not used up by trying.
  expect((await policy(['test', '--tool', 'pay', '--args', '{"amount":5}', '--expect', 'allow'])).code).toBe(0);
  const blocked = await policy(
    ['test', '--json'],
    JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'deploy', tool_input: {} }),
  );
  expect(JSON.parse(blocked.out)).toMatchObject({
    outcome: 'deny',
    kind: 'denied',
    reason: 'not on fridays',
    by: ['fridays'],
  });
  expect((await policy(['test', '--tool', 'deploy', '--no-scripts', '--expect', 'deny'])).code).toBe(1);
  expect(existsSync(scene.data)).toBe(false);
});

it('test: a mistake in the file is told with its place, a call that is none is refused', async () => {
  write('hooks:\n  PreToolUse:\n    - use: ReadOnlyGaurd\n');
  expect(await policy(['test', '--tool', 'a'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining(
      'policy.yaml:3:12: No hook `ReadOnlyGaurd` is built in. Did you mean `ReadOnlyGuard`? [HO_POLICY_CONFIG]',
    ),
  });
  write(RULES);
  expect(await policy(['test'], 'no json')).toMatchObject({ code: 2, err: expect.stringContaining('HO_OPTION') });
  expect(await policy(['test'], '{}')).toMatchObject({ code: 2, err: expect.stringContaining('no tool') });
});

it('list: hooks in their order, with what they are for', async () => {
  write(RULES);
  const { out } = await policy(['list']);
  expect(out).toContain('PreToolUse      50  SpendLimit: {"tool":"pay"}');
  const listed = JSON.parse((await policy(['list', '--json'])).out) as { hooks: { name: string; kind: string }[] };
  expect(listed.hooks.map(({ name, kind }) => [name, kind])).toEqual([
    ['RateLimit', 'RateLimit'],
    ['SpendLimit', 'SpendLimit'],
    ['ReadOnlyGuard', 'ReadOnlyGuard'],
    ['fridays', 'command'],
  ]);
});

const call = (amount: number, id = 'c1') => ({
  session_id: 's1',
  turn_id: 't1',
  task_id: '',
  tool_call_id: id,
  tool_name: 'pay',
  args: { amount, to: 'Anna\u202e' },
});

const ASKS = RULES.replace('calls: 1,', 'calls: 100,');

async function waits(count = 1): Promise<string[]> {
  await eventually(() => scene.said.filter((said) => said.includes('policy approve')).length >= count);
  const { pending } = JSON.parse((await policy(['pending', '--json'])).out) as { pending: { id: string }[] };
  return pending.map(({ id }) => id);
}

it('approve: shows all arguments and the digest, and decides exactly that; without a person to ask it decides nothing', async () => {
  await scene.start(ASKS);
  const answer = scene.ask(scene.client(), call(500));
  const [id = ''] = await waits();
  expect((await policy(['pending'])).out).toMatch(
    new RegExp(`^${id}  pay  .*above 100.*asked \\d+ s ago, 60 min left`),
  );
  const shown = await policy(['approve', id]);
  expect(shown).toMatchObject({ code: 2, err: expect.stringContaining('nobody can be asked') });
  expect(shown.out).toContain('"amount": 500');
  expect(shown.out).toContain('"to": "Anna\\u202e"');
  const [, digest = ''] = /digest +([0-9a-f]{64})/.exec(shown.out) ?? [];
  expect(await policy(['approve', id, '--digest', 'f'.repeat(64)])).toMatchObject({
    code: 1,
    out: expect.stringContaining('Its digest is another one'),
  });
  expect(await policy(['approve', id, '--digest', digest])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Approved.'),
  });
  expect(await answer).toMatchObject({ decision: 'allow' });
  const later = await policy(['approve', id]);
  expect(later).toMatchObject({ code: 1, err: '' });
  expect(later.out).toMatch(/^already approved by command:\S+ at \d{4}-\S+Z\n$/);
  // It can be typed in another terminal, which knows nothing of the flags of this service.
  expect(scene.said.find((said) => said.includes('policy approve'))).toMatch(
    new RegExp(`policy approve ${id} --data ${scene.data} --socket ${scene.socket}$`),
  );
  expect(await policy(['approve', 'nothing'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no request nothing'),
  });
});

it('deny: the agent reads the comment', async () => {
  await scene.start(ASKS);
  const answer = scene.ask(scene.client(), call(600));
  const [id = ''] = await waits();
  expect(await policy(['deny', id, '--comment', 'too much this week'])).toMatchObject({ code: 0 });
  expect(await answer).toMatchObject({
    decision: 'block',
    kind: 'denied',
    reason: expect.stringContaining('too much this week'),
  });
});

it('remembered and revoke', async () => {
  await scene.start(ASKS);
  const client = scene.client();
  const answer = scene.ask(client, call(700));
  const [id = ''] = await waits();
  const { digest } = JSON.parse((await policy(['pending', id, '--json'])).out) as { digest: string };
  expect((await policy(['approve', id, '--digest', digest, '--remember', 'session'])).out).toContain(
    'Remembered until',
  );
  expect(await answer).toMatchObject({ decision: 'allow' });
  expect(await scene.ask(client, call(800, 'c2'))).toMatchObject({ decision: 'allow' });
  const [entry] = JSON.parse((await policy(['remembered', '--json'])).out) as { id: string }[];
  expect((await policy(['remembered'])).out).toMatch(/pay {2}session {2}of SpendLimit {2}by command:\d+ {2}until /);
  expect(await policy(['revoke', entry?.id ?? ''])).toMatchObject({ code: 0, out: 'revoked\n' });
  expect(await policy(['revoke', entry?.id ?? ''])).toMatchObject({ code: 1 });
  expect(await scene.ask(client, call(900, 'c3'), { deadline: 500 })).toMatchObject({ kind: 'pending' });
});

it('arguments that fill many answers of the service are shown and approved whole', async () => {
  await scene.start(ASKS);
  const note = 'x'.repeat(900_000);
  const answer = scene.ask(scene.client(), { ...call(500), args: { amount: 500, note } });
  const [id = ''] = await waits();
  const approval = JSON.parse((await policy(['pending', id, '--json'])).out) as { args: string; digest: string };
  expect(JSON.parse(approval.args)).toEqual({ amount: 500, note });
  expect(await policy(['approve', id, '--digest', approval.digest])).toMatchObject({ code: 0 });
  expect(await answer).toMatchObject({ decision: 'allow' });
});

it('without a service the store is read and decided in, unless another process has it', async () => {
  await scene.start(ASKS);
  expect(await scene.ask(scene.client(), call(500), { deadline: 300 })).toMatchObject({ kind: 'pending' });
  await scene.stop();
  const { pending } = JSON.parse((await policy(['pending', '--json'])).out) as {
    pending: { id: string; digest: string }[];
  };
  const [{ id = '', digest = '' } = {}] = pending;
  const store = await FileStore.open(join(scene.data, 'policy/approvals'));
  expect(await policy(['approve', id, '--digest', digest])).toMatchObject({
    code: 2,
    err: expect.stringContaining('HO_POLICY_STORE'),
  });
  await store.close();
  expect(await policy(['approve', id, '--digest', digest])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Approved.'),
  });
  await scene.start();
  expect(await scene.ask(scene.client(), call(500))).toMatchObject({ decision: 'allow' });
});

it('verify-audit: finds an entry that was changed', async () => {
  await scene.start('hooks:\n  PreToolUse:\n    - use: AuditLog\n');
  for (const id of ['a', 'b', 'c']) await scene.ask(scene.client(), call(1, id));
  await scene.stop();
  expect(await policy(['verify-audit'])).toMatchObject({ code: 0, out: expect.stringContaining('whole: 3 entries') });
  const folder = join(scene.data, 'policy/audit/AuditLog');
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.ndjson'));
  const file = join(folder, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"call_id":"b"', '"call_id":"x"'));
  const found = await policy(['verify-audit', folder]);
  expect(found).toMatchObject({ code: 1, out: expect.stringContaining('NOT WHOLE') });
  expect(found.out).toContain(`${file}:2: it was changed`);
});

it('a command without a policy says how to name one, and of a service without one that it has none', async () => {
  rmSync(scene.policy, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'no-policy-'));
  const ran = await new Promise<Ran>((resolve) => {
    const child = spawn(process.execPath, [BIN, 'policy', 'list', '--data', folder, '--socket', join(folder, 's')], {
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    });
    let err = '';
    child.stderr.on('data', (data: Buffer) => {
      err += data.toString();
    });
    child.once('close', (code) => resolve({ code, out: '', err }));
  });
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('no policy is set: --policy FILE') });
});

it('without a flag the file of the service that runs is meant; without a service it says what is missing', async () => {
  const test = ['policy', 'test', '--socket', scene.socket, '--tool', 'deploy'];
  for (const args of [
    test,
    ['policy', 'list', '--socket', scene.socket],
    ['policy', 'pending', '--socket', scene.socket],
  ]) {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(`no service runs at ${scene.socket}`);
    expect(err).toContain('no policy is set');
    expect(err).toContain('--policy FILE');
  }
  await scene.start(RULES);
  expect(await run(test)).toMatchObject({ code: 0, out: expect.stringContaining('not on fridays') });
  expect((await run(['policy', 'list', '--socket', scene.socket])).out).toContain(scene.policy);
  expect(await run(['policy', 'verify-audit', '--socket', scene.socket])).toMatchObject({ code: 0 });
});

it('an outcome that was not expected is named', async () => {
  write(RULES);
  expect(await policy(['test', '--tool', 'deploy', '--expect', 'allow'])).toMatchObject({
    code: 1,
    err: 'expected allow, was deny\n',
  });
});

it('help is that of the very command', async () => {
  expect((await policy(['test', '--tol', 'x'])).err).toMatch(/\nsee .* policy test --help\n$/);
  expect((await run(['policy', 'tst'])).err).toMatch(/\nsee .* policy --help\n$/);
  expect(await run(['help', 'policy', 'approve'])).toMatchObject({ code: 0, out: expect.stringContaining('--digest') });
  expect((await run(['help', 'policy'])).out).toContain('verify-audit');
});

const PYTHON = process.env.PYTHON ?? 'python3';
const hasPty = spawnSync(PYTHON, ['-c', 'import pty']).status === 0;
/** With a terminal as its standard streams, where `input` is typed. */
const onTerminal = (args: readonly string[], input: string) => {
  const program = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  return spawned(PYTHON, ['-c', program, process.execPath, BIN, ...args], input);
};

it.skipIf(!hasPty)('at a terminal `policy test` does not wait for a call that nobody types', async () => {
  write(RULES);
  const { code, out } = await onTerminal(['policy', 'test', '--policy', scene.policy], '');
  expect(code).toBe(2);
  expect(out).toContain('--tool NAME is missing');
});

it.skipIf(!hasPty).each(['y', 'YES'])('at a terminal `policy approve` takes %s for a yes', async (word) => {
  await scene.start(ASKS);
  const answer = scene.ask(scene.client(), call(500));
  const [id = ''] = await waits();
  const { code, out } = await onTerminal(['policy', 'approve', id, '--socket', scene.socket], `${word}\n`);
  expect(out).toContain('Approved.');
  expect(code).toBe(0);
  expect(await answer).toMatchObject({ decision: 'allow' });
});
