import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseRecord } from '@hermes-observer/core';
import { afterAll, describe, expect, it } from 'vitest';
import { HOOK_EVENTS, type HookCapture, recordsOf } from './hook-event.js';

const BIN = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'claude-hook-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As recorded from Claude Code, shortened. */
const base = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/c', prompt_id: 'p', permission_mode: 'default' };
const tool = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' };
const event = (name: string, more: object = {}) => ({ ...base, hook_event_name: name, ...more });
const records = (given: object, capture: HookCapture = 'none') => recordsOf(given as never, 1000, capture);

describe('recordsOf', () => {
  it('makes a turn of a prompt, its tools and its stop', () => {
    const all = [
      event('UserPromptSubmit', { prompt: 'hello' }),
      event('PreToolUse', tool),
      event('PostToolUse', { ...tool, tool_response: 'x', duration_ms: 7 }),
      event('Stop', { last_assistant_message: 'done' }),
    ].flatMap((one) => records(one));
    const ids = { session_id: 's', turn_id: 'p', platform: 'claude_code' };
    expect(all.map(({ hook, payload }) => [hook, JSON.parse(JSON.stringify(payload))])).toEqual([
      ['pre_llm_call', ids],
      ['pre_tool_call', { ...ids, tool_name: 'Bash', tool_call_id: 'toolu_1' }],
      ['post_tool_call', { ...ids, tool_name: 'Bash', tool_call_id: 'toolu_1', duration_ms: 7, status: 'ok' }],
      ['post_llm_call', ids],
      ['on_session_end', { ...ids, completed: true, failed: false, interrupted: false }],
    ]);
    expect(all.at(-1)?.time_unix_nano).toBe('1001000');
  });

  it('passes content on only when asked', () => {
    const [none] = records(event('PreToolUse', tool));
    expect(JSON.stringify(none)).not.toContain('ls');
    expect(records(event('PreToolUse', tool), 'full')[0]?.payload.args).toEqual({ command: 'ls' });
    expect(records(event('Stop', { last_assistant_message: 'done' }), 'redacted')[0]?.payload).toMatchObject({
      assistant_response: 'done',
    });
  });

  it('ends calls that were denied with their batch', () => {
    expect(records(event('PostToolBatch', { tool_calls: [tool] }))[0]).toMatchObject({
      hook: 'post_tool_call',
      payload: { tool_call_id: 'toolu_1', status: 'blocked', session_id: 's' },
    });
  });

  it('gives what happens in a child to the child', () => {
    const child = { agent_id: 'a1', agent_type: 'Explore' };
    expect(records(event('SubagentStart', child))[0]?.payload).toMatchObject({
      parent_session_id: 's',
      parent_turn_id: 'p',
      child_session_id: 's:a1',
      child_role: 'Explore',
    });
    const { payload } = records(event('PreToolUse', { ...tool, ...child }))[0] ?? { payload: {} };
    expect(payload).toMatchObject({ session_id: 's:a1' });
    expect(payload).not.toHaveProperty('turn_id');
  });

  it('knows the call that sent a subagent to work in the background, whichever hook is first', () => {
    const call = {
      tool_name: 'Agent',
      tool_use_id: 'toolu_2',
      tool_input: { subagent_type: 'Explore' },
      tool_response: { isAsync: true, agentId: 'a1' },
    };
    const [start, end] = records(event('PostToolUse', call));
    expect(start).toMatchObject({
      hook: 'subagent_start',
      payload: { child_session_id: 's:a1', child_role: 'Explore', parent_turn_id: 'p', parent_tool_call_id: 'toolu_2' },
    });
    expect(end).toMatchObject({ hook: 'post_tool_call', payload: { tool_call_id: 'toolu_2', status: 'ok' } });
    const others = [{ tool_response: { agentId: 'a1' } }, { agent_id: 'a0' }, { tool_response: null }];
    for (const other of others) expect(records(event('PostToolUse', { ...call, ...other }))).toHaveLength(1);
  });

  it('ends a turn that is open when its session ends, and no other', () => {
    const hooks = (given: object) =>
      records(event('SessionEnd', given)).map(({ hook, payload }) => [hook, payload.interrupted]);
    expect(hooks({ reason: 'other' })).toEqual([
      ['on_session_end', true],
      ['on_session_finalize', undefined],
    ]);
    expect(hooks({ reason: 'other', prompt_id: undefined })).toEqual([['on_session_finalize', undefined]]);
  });

  it('makes no subagent of work of Claude Code itself', () => {
    expect(records(event('SubagentStop', { agent_id: 'a1', agent_type: '' }))).toEqual([]);
    expect(records(event('SubagentStop', { agent_id: 'a1', agent_type: 'Explore' }))).toHaveLength(1);
  });

  it.each([event('MessageDisplay'), event('toString'), {}, { hook_event_name: 5 }])('makes nothing of %j', (given) => {
    expect(records(given)).toEqual([]);
  });

  it.each(HOOK_EVENTS)('makes something of %s without any field', (name) => {
    expect(() => records({ hook_event_name: name })).not.toThrow();
  });
});

describe('hook claude-code', () => {
  const run = (input: string, socket: string, data: string) =>
    spawnSync(process.execPath, [BIN, 'hook', 'claude-code', '--socket', socket, '--data', data], {
      input,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder },
      timeout: 10_000,
    });

  it('hands over through the socket, and says nothing', async () => {
    const path = join(folder, 'sock');
    let got = '';
    const server = createServer(async (socket) => {
      got = await text(socket);
    }).listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    const child = spawn(process.execPath, [BIN, 'hook', 'claude-code', '--socket', path, '--data', folder]);
    child.stdin.end(JSON.stringify(event('Stop')));
    const [out, code] = await Promise.all([text(child.stdout), new Promise((resolve) => child.once('close', resolve))]);
    server.close();
    expect([out, code]).toEqual(['', 0]);
    expect(
      got
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).hook),
    ).toEqual(['post_llm_call', 'on_session_end']);
    expect(readdirSync(folder)).not.toContain('forwarder');
  });

  it('leaves a file for the service when it is away', () => {
    const data = join(folder, 'away');
    expect(run(JSON.stringify(event('PreToolUse', tool)), join(folder, 'nobody'), data)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    });
    const [name = ''] = readdirSync(join(data, 'forwarder'));
    expect(name).toMatch(/^claude-\d+-\d+-1\.ndjson$/);
    expect(statSync(join(data, 'forwarder', name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(data, 'forwarder', name), 'utf8'))).toMatchObject({ hook: 'pre_tool_call' });
  });

  it.each(['', 'nonsense', '[]', 'null', '{}'])('ends with 0 for %j, and where nothing can be written', (input) => {
    for (const given of [input, JSON.stringify(event('Stop'))]) {
      expect(run(given, '/proc/nowhere', '/proc/nowhere')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    }
  });

  it('neither waits for a service that hangs, nor loses what does not fit its socket', async () => {
    const path = join(folder, 'hung');
    const data = join(folder, 'hung-data');
    const server = createServer((socket) => void socket.on('error', () => {}).pause()).listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    const start = performance.now();
    const large = event('PostToolUse', { ...tool, tool_response: 'x'.repeat(20_000_000) });
    const child = spawn(process.execPath, [
      BIN,
      'hook',
      'claude-code',
      '--socket',
      path,
      '--data',
      data,
      '--capture',
      'full',
    ]);
    child.stdin.end(JSON.stringify(large));
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    server.close();
    expect([out, err, code]).toEqual(['', '', 0]);
    expect(performance.now() - start).toBeLessThan(5_500);
    const [name = '', ...others] = readdirSync(join(data, 'forwarder'));
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(join(data, 'forwarder', name), 'utf8')).payload.result).toHaveLength(20_000_000);
  }, 20_000);

  it('counts what it gives up when too much waits, in a file that does not grow without end', () => {
    const data = join(folder, 'full');
    const spool = join(data, 'forwarder');
    mkdirSync(spool, { recursive: true });
    for (let i = 0; i < 10_000; i++) writeFileSync(join(spool, `claude-${i}-1-1.ndjson`), '');
    const dropped = join(spool, 'claude-dropped.ndjson');
    const count = () =>
      readFileSync(dropped, 'utf8')
        .trimEnd()
        .split('\n')
        .map(
          (line) => JSON.parse(line) as { hook: string; producer: string; payload: { count: number; reason: string } },
        );
    for (let i = 0; i < 2; i++) run(JSON.stringify(event('Stop')), join(folder, 'nobody'), data);
    expect(count().map(({ hook, producer, payload }) => [hook, producer, payload])).toEqual(
      Array(2).fill(['observer_dropped', 'claude-code', { count: 2, reason: 'spool_full' }]),
    );
    expect(parseRecord(readFileSync(dropped, 'utf8').split('\n')[0] ?? '')).toMatchObject({
      record: { hook: 'observer_dropped' },
    });
    writeFileSync(dropped, readFileSync(dropped, 'utf8').repeat(300));
    run(JSON.stringify(event('PreToolUse', tool)), join(folder, 'nobody'), data);
    expect(count().map(({ payload }) => payload.count)).toEqual([1201]);
    expect(readdirSync(spool)).toHaveLength(10_001);
  });

  it('ends with 0 where this program is not whole, and when its input does not end', async () => {
    const bin = join(folder, 'broken/bin');
    mkdirSync(bin, { recursive: true });
    cpSync(BIN, join(bin, 'hermes-observer.js'));
    cpSync(join(BIN, '../package.json'), join(bin, 'package.json'));
    const broken = spawnSync(process.execPath, [join(bin, 'hermes-observer.js'), 'hook', 'claude-code'], {
      encoding: 'utf8',
    });
    expect([broken.status, broken.stdout, broken.stderr]).toEqual([0, '', '']);
    // Any other command says what is missing.
    const other = spawnSync(process.execPath, [join(bin, 'hermes-observer.js'), 'serve'], { encoding: 'utf8' });
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('npm ci && npm run build')]);
    const start = performance.now();
    const child = spawn(process.execPath, [BIN, 'hook', 'claude-code'], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin?.write('{"hook_event_name":');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(performance.now() - start).toBeLessThan(4_000);
  }, 20_000);
});
