import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call, Hook, ServeProcess, until } from './serve-process.js';

// Each attacks the real service in a process of its own, as `table.mjs` says what for.

let serve: ServeProcess;
let hooks: Hook[];
beforeEach(() => {
  serve = new ServeProcess();
  hooks = [];
});
afterEach(async () => {
  for (const hook of hooks) hook.close();
  await serve.end();
});

async function hook(seed = 1): Promise<Hook> {
  const opened = await Hook.open(seed);
  hooks.push(opened);
  return opened;
}

const through = (name: string, { url, secret }: Hook, rest = '') =>
  `${name}: { kind: webhook, url: '${url}', secret: '${secret}'${rest} }`;
const gateThrough = (...channels: string[]) =>
  `channels:\n  ${channels.join('\n  ')}\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n      match: pay\n`;

it('hooks that crash, hang, are gone or talk nonsense block, each with its kind; only onError allow lets through', async () => {
  const script = (name: string, command: string, more = '') =>
    `    - { command: '${command}', shell: true, name: ${name}, match: ${name}, timeout: 500ms${more} }\n`;
  const yaml = [
    'hooks:\n  PreToolUse:\n',
    script('crash', 'kill -SEGV $$'),
    script('late', 'sleep 30'),
    script('absent', 'no-such-program-anywhere'),
    script('words', 'echo sure, go ahead'),
    script('code', 'exit 3'),
    script('denies', 'echo no >&2; exit 2'),
    script('lenient', 'exit 3', ', onError: allow'),
  ].join('');
  await serve.start(yaml);
  const client = serve.client();
  const kindOf = async (tool: string) => {
    const { decision, kind } = await serve.ask(client, call(tool, {}));
    return decision === 'allow' ? 'allow' : kind;
  };
  expect(await kindOf('crash')).toBe('hook_error');
  expect(await kindOf('late')).toBe('hook_timeout');
  expect(await kindOf('absent')).toBe('hook_error');
  expect(await kindOf('words')).toBe('hook_error');
  expect(await kindOf('code')).toBe('hook_error');
  expect(await kindOf('denies')).toBe('denied');
  expect(await kindOf('lenient')).toBe('allow');
});

it('a guard that is misspelt, or whose file is gone, starts no service', async () => {
  await expect(serve.start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGaurd\n')).rejects.toThrow(
    /serve ended with 2: .*policy\.yaml:3:12: .*Did you mean `ReadOnlyGuard`/s,
  );
  await expect(serve.start('hooks:\n  PreToolUse:\n    - module: ./gone.mjs\n')).rejects.toThrow(
    /serve ended with 2: .*not there/s,
  );
  await expect(serve.start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: "[a"\n')).rejects.toThrow(
    /serve ended with 2/,
  );
  expect(existsSync(serve.socket)).toBe(false);
});

it('a script that is gone is no deny, also where Python ends with 2 for it', async () => {
  const script = serve.file('check.py', 'import sys\nsys.exit(0)\n');
  await serve.start(`hooks:\n  PreToolUse:\n    - command: [python3, ${script}]\n`);
  const client = serve.client();
  expect(await serve.ask(client, call('a', {}))).toMatchObject({ decision: 'allow' });
  writeFileSync(script, '');
  const { rmSync } = await import('node:fs');
  rmSync(script);
  const { decision, kind } = await serve.ask(client, call('a', {}, { tool_call_id: 'c2' }));
  expect({ decision, kind }).toMatchObject({ decision: 'block' });
  expect(kind).not.toBe('denied');
});

it('nothing of a call is run by a shell: arguments, names of tools, ids', async () => {
  await serve.start(
    "hooks:\n  PreToolUse:\n    - { command: 'cat > seen.json', shell: true, name: shell }\n    - { command: [sh, -c, 'cat > /dev/null'], name: argv }\n",
  );
  const pwned = join(serve.folder, 'pwned');
  const evil = `$(touch ${pwned}) \`touch ${pwned}\`; touch ${pwned} #' "\n touch ${pwned}`;
  const payload = call(evil, { [evil]: evil }, { session_id: evil, tool_call_id: evil, turn_id: evil });
  expect(await serve.ask(serve.client(), payload)).toMatchObject({ decision: 'allow' });
  expect(JSON.parse(readFileSync(join(serve.folder, 'seen.json'), 'utf8'))).toMatchObject({
    tool_name: evil,
    tool_input: { [evil]: evil },
  });
  expect(existsSync(pwned)).toBe(false);
});

it('secrets are masked in cards, in what the service prints, in commands and in spans', async () => {
  const ops = await hook();
  await serve.start(gateThrough(through('ops', ops), 'command:'), ['--capture', 'redacted']);
  const key = `AKIA${'IOSFODNN7'}${'EXAMPLQ'}`;
  const client = serve.client();
  serve.record(client, 'pre_llm_call', { session_id: 's1', turn_id: 't1' });
  const asked = call('pay', { amount: 1, note: `use ${key}`, password: 'correct-horse-battery' });
  serve.record(client, 'pre_tool_call', asked);
  const answer = serve.ask(client, asked);
  await ops.requested();
  const shown = await serve.command('pending', (await serve.pending())[0]?.id ?? '');
  await serve.approve();
  expect(await answer).toMatchObject({ decision: 'allow', args: asked.args });
  serve.record(client, 'post_tool_call', { ...asked, status: 'ok', result: 'paid' });
  serve.record(client, 'on_session_end', { session_id: 's1', turn_id: 't1', completed: true });
  await until(() => serve.sent().includes('invoke_agent'));
  for (const text of [ops.bodies.join(''), shown.stdout, serve.output, serve.sent()]) {
    expect(text).not.toContain(key);
    expect(text).not.toContain('correct-horse-battery');
  }
  expect(serve.sent()).toContain('hermes.policy.decision');
});

it('an agent that edits the script that judges it is blocked, and the service does not start with it', async () => {
  const script = serve.file('rule.sh', 'exit 2\n');
  await serve.start(`hooks:\n  PreToolUse:\n    - command: [sh, ${script}]\n      name: rule\n`);
  const client = serve.client();
  expect(await serve.ask(client, call('a', {}))).toMatchObject({ kind: 'denied' });
  writeFileSync(script, 'exit 0\n');
  expect(await serve.ask(client, call('a', {}, { tool_call_id: 'c2' }))).toMatchObject({
    decision: 'block',
    kind: 'hook_error',
  });
  await serve.stop();
  await expect(serve.start()).rejects.toThrow(/is not the one that was accepted/);
});

it('guards hold in children, and in children of children, of every session', async () => {
  await serve.start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n');
  const client = serve.client();
  serve.record(client, 'subagent_start', {
    parent_session_id: 's1',
    child_session_id: 's2',
    child_subagent_id: 'sa-1',
    child_role: 'leaf',
  });
  serve.record(client, 'subagent_start', {
    parent_session_id: 's2',
    child_session_id: 's3',
    child_subagent_id: 'sa-2',
    child_role: 'leaf',
  });
  for (const session of ['s1', 's2', 's3', '']) {
    expect(await serve.ask(client, call('write_file', {}, { session_id: session }))).toMatchObject({ kind: 'denied' });
  }
});

it('hooks for results see calls that failed, and the roles of children', async () => {
  serve.file(
    'note.mjs',
    `import { appendFileSync } from 'node:fs';\nexport default ({ status, errorType, childRoles, tool }) => { appendFileSync('${serve.folder}/noted', JSON.stringify([tool, status, errorType, childRoles]) + '\\n'); };\n`,
  );
  await serve.start('hooks:\n  PostToolUse:\n    - module: ./note.mjs\n');
  const client = serve.client();
  serve.record(client, 'subagent_start', {
    parent_session_id: 's1',
    child_session_id: 's2',
    child_subagent_id: 'sa-1',
    child_role: 'tester',
  });
  serve.record(client, 'post_tool_call', {
    ...call('fetch', {}, { session_id: 's2' }),
    status: 'error',
    error_type: 'Timeout',
  });
  await until(() => existsSync(join(serve.folder, 'noted')));
  expect(JSON.parse(readFileSync(join(serve.folder, 'noted'), 'utf8'))).toEqual([
    'fetch',
    'error',
    'Timeout',
    ['tester'],
  ]);
});

it('a deny wins over a yes in any order of the file', async () => {
  const rules = [
    "    - { command: [sh, -c, 'cat >/dev/null; echo no >&2; exit 2'], name: no }\n",
    '    - { command: [sh, -c, \'cat >/dev/null; echo {\\"decision\\":\\"allow\\"}\'], name: yes }\n',
    '    - use: ApprovalGate\n',
  ];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    await serve.start(`channels: { command: }\nhooks:\n  PreToolUse:\n${order.map((i) => rules[i]).join('')}`);
    expect(await serve.ask(serve.client(), call('a', {}))).toMatchObject({ decision: 'block', kind: 'denied' });
    await serve.stop();
  }
});
