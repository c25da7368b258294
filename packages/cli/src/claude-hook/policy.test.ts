import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Hub, parseRecord } from '@hermes-observer/core';
import { createPolicy, type HookResult } from '@hermes-observer/policy';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'claude-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As recorded from Claude Code, shortened. */
const base = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/c', prompt_id: 'p', permission_mode: 'default' };
const call = { tool_name: 'Bash', tool_input: { command: 'ls', timeout: 5 }, tool_use_id: 'toolu_1' };
const event = (more: object = {}) => ({ ...base, hook_event_name: 'PreToolUse', ...call, ...more });

type Line = Record<string, unknown>;
type Answerer = (line: Line, say: (value: unknown) => void, socket: Socket, at: number) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

let count = 0;
const newPath = () => join(folder, `s${++count}`);

/** A service: every line that came, and what is done about it. */
async function service(answer: Answerer, path = newPath()): Promise<{ path: string; lines: Line[] }> {
  const lines: Line[] = [];
  const server = createServer((socket) => {
    let rest = '';
    let at = 0;
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const line = JSON.parse(part) as Line;
        lines.push(line);
        answer(
          line,
          (value) => socket.write(typeof value === 'string' ? value : `${JSON.stringify(value)}\n`),
          socket,
          ++at,
        );
      }
    });
  }).listen(path);
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return { path, lines };
}

const asks = (line: Line) => line.op === 'ask';
const deciding =
  (decide: (payload: Line) => Line): Answerer =>
  (line, say) => {
    if (asks(line)) say({ answer: line.id, by: ['p'], ...decide(line.payload as Line) });
  };

async function run(
  path: string,
  flags: readonly string[] = [],
  input: string = JSON.stringify(event()),
  data = join(folder, 'd'),
) {
  const began = performance.now();
  const args = [BIN, 'hook', 'claude-code', '--socket', path, '--data', data, '--policy', ...flags];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, HOME: folder } });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  const said = out === '' ? undefined : (JSON.parse(out) as { hookSpecificOutput: Line }).hookSpecificOutput;
  return { said, out, err, code, millis: performance.now() - began };
}

const denied = (reason: unknown) => ({
  said: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
  err: '',
  code: 0,
});

describe('hook claude-code --policy', () => {
  it('says nothing about a call that may run, so that the rules of Claude Code still hold', async () => {
    const { path, lines } = await service(deciding(({ args }) => ({ decision: 'allow', args: args as Line })));
    expect(await run(path)).toMatchObject({ out: '', err: '', code: 0 });
    // The record first, over the same connection: what is decided then has its place.
    expect(lines.map(({ hook, op }) => [hook, op])).toEqual([
      ['pre_tool_call', undefined],
      ['pre_tool_call', 'ask'],
    ]);
    expect(lines[0]?.payload).not.toHaveProperty('args');
    expect(lines[1]?.payload).toEqual({
      session_id: 's',
      turn_id: 'p',
      platform: 'claude_code',
      tool_name: 'Bash',
      tool_call_id: 'toolu_1',
      child_roles: [],
      args: call.tool_input,
    });
  });

  it('refuses with the reason', async () => {
    const { path } = await service(deciding(() => ({ decision: 'block', reason: 'not on a Friday', kind: 'denied' })));
    expect(await run(path)).toMatchObject(denied('Blocked by policy (denied): not on a Friday'));
  });

  it('tells silence from a no', async () => {
    const { path } = await service(deciding(() => ({ decision: 'block', reason: 'nobody answered', kind: 'expired' })));
    expect(await run(path)).toMatchObject(denied('Blocked by policy (expired): nobody answered'));
  });

  it('passes on that a person has to be asked', async () => {
    const { path } = await service(
      deciding(({ args }) => ({ decision: 'approve', args: args as Line, reason: 'sure?' })),
    );
    expect((await run(path)).said).toMatchObject({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' });
  });

  it('lets no call run whose arguments were changed, since Claude Code may run the old ones', async () => {
    const { path } = await service(deciding(() => ({ decision: 'allow', args: { command: 'ls -l' } })));
    expect(await run(path)).toMatchObject(denied(expect.stringContaining('exactly {"command":"ls -l"}')));
    expect((await run(path, ['--policy-rewrites', 'update'])).said).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: 'policy changed the arguments',
      updatedInput: { command: 'ls -l' },
    });
  });

  it.each([
    { decision: 'defer', args: {} },
    { decision: 'allow' },
    { decision: 'allow', args: null },
    { decision: 'approve', args: { command: 'other' } },
    {},
  ])('refuses what it does not know, whatever the setting: %j', async (answer) => {
    const { path } = await service(deciding(() => answer));
    expect(await run(path, ['--policy-unreachable', 'allow'])).toMatchObject(
      denied(expect.stringContaining('Blocked by policy')),
    );
  });

  it('takes a service without a policy for none', async () => {
    const { path } = await service(deciding(({ args }) => ({ decision: 'allow', args: args as Line, by: [] })));
    expect(await run(path)).toMatchObject(denied(expect.stringContaining('could not be asked')));
    const other = await service(
      deciding(({ args }) => ({ decision: 'allow', args: args as Line, by: [], policy: 'mine' })),
    );
    expect((await run(other.path)).out).toBe('');
  });

  it.each<[string, Answerer]>([
    ['says nothing', () => {}],
    ['talks nonsense', (_, say) => say('<html>\n')],
    ['sends a line without an end', (line, say) => asks(line) && say('x'.repeat(40_000_000))],
    [
      'answers another question',
      (line, say) => asks(line) && say({ answer: 'other', decision: 'allow', args: {}, by: ['p'] }),
    ],
    ['closes at once, each time', (_, __, socket) => void socket.destroy()],
  ])('refuses in time, or lets run as set, where the service %s', async (_, answer) => {
    const { path } = await service(answer);
    const [blocked, allowed] = await Promise.all([
      run(path, ['--policy-timeout', '1']),
      run(path, ['--policy-timeout', '1', '--policy-unreachable', 'allow']),
    ]);
    expect(blocked).toMatchObject(denied(expect.stringContaining('could not be asked')));
    expect(allowed).toMatchObject({ out: '', code: 0 });
    expect(blocked.millis).toBeLessThan(4_000);
  });

  it('does not take a person who has not answered for a service that is away', async () => {
    const { path } = await service((line, say) => line.op === 'sync' && say({ synced: line.id }));
    expect(await run(path, ['--policy-timeout', '1', '--policy-unreachable', 'allow'])).toMatchObject(
      denied(expect.stringContaining('Nobody agreed to this call, and nobody refused it')),
    );
  });

  it('refuses what the service refuses to take, whatever the setting', async () => {
    const { path } = await service(
      (line, say, _, at) => asks(line) && say({ error: { code: 'HO_REQUEST', line: at } }),
    );
    expect(await run(path, ['--policy-unreachable', 'allow'])).toMatchObject(
      denied(expect.stringContaining('HO_REQUEST')),
    );
  });

  it('asks again about the same call when the service is started anew', async () => {
    const path = newPath();
    let isGone = false;
    const { lines } = await service((line, _, socket) => {
      if (!asks(line) || isGone) return;
      isGone = true;
      const [server] = servers.splice(0);
      server?.close();
      socket.destroy();
      setTimeout(
        () =>
          void service(
            deciding(({ args }) => ({ decision: 'block', reason: 'second', args: args as Line })),
            path,
          ),
        500,
      );
    }, path);
    expect(await run(path)).toMatchObject(denied('Blocked by policy (denied): second'));
    expect(lines.filter(asks)).toHaveLength(1);
  });

  it.each(['block', 'allow'] as const)(
    'leaves the record and what it did where the service is away: %s',
    async (setting) => {
      const data = join(folder, `away-${setting}`);
      const got = await run(newPath(), ['--policy-unreachable', setting], JSON.stringify(event()), data);
      if (setting === 'allow') expect(got).toMatchObject({ out: '', code: 0 });
      else expect(got).toMatchObject(denied(expect.stringContaining('This is a fault of the setup')));
      expect(got.millis).toBeLessThan(2_000);
      const [name = ''] = readdirSync(join(data, 'forwarder'));
      const left = readFileSync(join(data, 'forwarder', name), 'utf8')
        .trim()
        .split('\n');
      expect(left.map((line) => parseRecord(line).record?.hook)).toEqual(['pre_tool_call', 'observer_policy_decision']);
      expect(JSON.parse(left[1] ?? '').payload).toMatchObject({
        tool_call_id: 'toolu_1',
        outcome: setting === 'allow' ? 'allow' : 'deny',
        kind: 'hook_error',
        on_error: setting,
      });
    },
  );

  it.each(['', 'nonsense', '[1', 'null'])('refuses with code 2 what it cannot read: %j', async (input) => {
    expect(await run(newPath(), ['--policy-unreachable', 'allow'], input)).toMatchObject({
      out: '',
      code: 2,
      err: expect.stringContaining('Blocked by policy'),
    });
  });

  it('refuses with code 2 where its input does not come, and where it is not built', async () => {
    const child = spawn(process.execPath, [BIN, 'hook', 'claude-code', '--policy']);
    child.stdin.write('{"hook_event_name":');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
    const bin = join(folder, 'broken/bin');
    mkdirSync(bin, { recursive: true });
    cpSync(BIN, join(bin, 'hermes-observer.js'));
    cpSync(join(BIN, '../package.json'), join(bin, 'package.json'));
    const broken = spawnSync(process.execPath, [join(bin, 'hermes-observer.js'), 'hook', 'claude-code', '--policy'], {
      encoding: 'utf8',
    });
    expect([broken.status, broken.stdout]).toEqual([2, '']);
    expect(broken.stderr).toContain('config_error');
  });

  it('refuses a slip in a setting rather than let a call run', async () => {
    expect(await run(newPath(), ['--policy-unreachable', 'alow'])).toMatchObject(denied(expect.anything()));
    expect(await run(newPath(), ['--policy-unreachable'])).toMatchObject(denied(expect.anything()));
  });

  it('decides about nothing but calls and their results', async () => {
    const { path, lines } = await service(deciding(() => ({ decision: 'block', reason: 'no' })));
    for (const name of ['PostToolUseFailure', 'Stop', 'UserPromptSubmit']) {
      expect(await run(path, [], JSON.stringify(event({ hook_event_name: name })))).toMatchObject({ out: '', code: 0 });
    }
    expect(lines.some(asks)).toBe(false);
  });

  describe('of a result', () => {
    const bash = { stdout: 'a secret', stderr: 'x', interrupted: false, isImage: false };
    const result = (tool_name: string, tool_response: unknown) =>
      JSON.stringify(event({ hook_event_name: 'PostToolUse', tool_name, tool_response, duration_ms: 3 }));
    const said = async (path: string, input: string, flags: readonly string[] = []) => {
      const { out, code } = await run(path, ['--policy-timeout', '1', ...flags], input);
      expect(code).toBe(0);
      return out === '' ? undefined : JSON.parse(out);
    };

    it.each<[string, string, unknown, string, unknown]>([
      ['the output of a command', 'Bash', bash, '[masked]', { ...bash, stdout: '[masked]', stderr: '' }],
      [
        'an object of the same shape',
        'Read',
        { file: 'a', text: 'b' },
        '{"file":"a","text":"[m]"}',
        { file: 'a', text: '[m]' },
      ],
      ['a text', 'Other', 'a secret', '[masked]', '[masked]'],
      ['that of a server', 'mcp__pay__send', [{ type: 'text', text: 'a secret' }], '[masked]', '[masked]'],
    ])('replaces %s in the shape that Claude Code takes', async (_, tool, response, value, updatedToolOutput) => {
      const { path, lines } = await service(deciding(() => ({ value, policy: 'p' })));
      expect(await said(path, result(tool, response))).toEqual({
        decision: 'block',
        reason: 'Policy changed the result of this call.',
        hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput },
      });
      expect(lines.find(asks)).toMatchObject({
        hook: 'transform_tool_result',
        payload: { result: response, status: 'ok' },
      });
    });

    it('tells the model where its shape is not known', async () => {
      const { path } = await service(deciding(() => ({ value: '[masked]', policy: 'p' })));
      expect(await said(path, result('Read', { file: 'a' }))).toEqual({
        decision: 'block',
        reason: 'Policy lets no result of this call be used but this: [masked]',
      });
    });

    it('says nothing of one that stays', async () => {
      const { path } = await service((line, say) => asks(line) && say({ answer: line.id, value: bash, policy: 'p' }));
      expect(await said(path, result('Bash', bash))).toBeUndefined();
    });

    it('withholds it where policy could not be asked, unless set otherwise', async () => {
      const { hookSpecificOutput } = await said(newPath(), result('Bash', bash));
      expect(hookSpecificOutput.updatedToolOutput.stdout).toContain('withheld by policy (hook_error)');
      expect(await said(newPath(), result('Bash', bash), ['--policy-unreachable', 'allow'])).toBeUndefined();
      const { path } = await service((line, say) => line.op === 'sync' && say({ synced: line.id }));
      const late = await said(path, result('Bash', bash), ['--policy-unreachable', 'allow']);
      expect(late.hookSpecificOutput.updatedToolOutput.stdout).toContain('hook_timeout');
    });
  });

  it('asks a real policy about calls of children, whose role it knows', async () => {
    const hub = new Hub();
    const roles: (readonly string[])[] = [];
    const rule = ({ childRoles }: { childRoles: readonly string[] }): HookResult => {
      roles.push(childRoles);
      return { allow: false, error: 'no commands' };
    };
    createPolicy({ hooks: [{ name: 'rule', event: 'PreToolUse', execute: rule }] }).attach(hub);
    const { path } = await service((line, say) => {
      if (!asks(line)) hub.emit(line.hook as string, line.payload as Line);
      else void hub.ask('pre_tool_call', line.payload as Line).then((answer) => say({ answer: line.id, ...answer }));
    });
    const start = { ...base, hook_event_name: 'SubagentStart', agent_id: 'a1', agent_type: 'Explore' };
    await run(path, [], JSON.stringify(start));
    const got = await run(path, [], JSON.stringify(event({ agent_id: 'a1', agent_type: 'Explore' })));
    expect(got).toMatchObject(denied('Blocked by policy (denied): no commands'));
    expect(roles).toEqual([['Explore']]);
  });

  it('writes nothing without the flag, though the variable of the other agent is set', () => {
    const data = join(folder, 'plain');
    const got = spawnSync(process.execPath, [BIN, 'hook', 'claude-code', '--socket', newPath(), '--data', data], {
      input: JSON.stringify(event()),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, HERMES_OBSERVER_POLICY: 'on' },
    });
    expect([got.status, got.stdout, got.stderr]).toEqual([0, '', '']);
    expect(existsSync(join(data, 'forwarder'))).toBe(true);
  });
});
