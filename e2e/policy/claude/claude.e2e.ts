import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitFor } from '../../jaeger/wait-for.js';
import { runCommand, TOP } from '../../run-command.js';
import { Serve } from '../serve.js';

const COMMAND = join(TOP, 'packages/cli/bin/hermes-observer.js');
const POLICY = `
channels: { command: }
hooks:
  PreToolUse:
    - use: CommandGuard
      match: Bash
      with: { deny: [{ program: shutdown, reason: Not this machine. }] }
    - use: ApprovalGate
      match: Write
      with: { title: A file }
`;

let serve: Serve;
beforeEach(() => {
  serve = new Serve(POLICY);
  serve.start();
});
afterEach(() => serve.end());

/** Fields that each event of Claude Code has. */
const base = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/c', prompt_id: 'p', permission_mode: 'default' };

async function hook(hook_event_name: string, more: object = {}, flags: readonly string[] = ['--policy']) {
  const args = [COMMAND, 'hook', 'claude-code', '--socket', serve.socket, '--data', serve.data, ...flags];
  const input = JSON.stringify({ ...base, hook_event_name, ...more });
  const { code, stdout, stderr } = await runCommand(process.execPath, args, { input });
  expect([code, stderr]).toEqual([0, '']);
  return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput;
}

const bash = (command: string, id: string) => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: id });
const deny = (reason: unknown) => ({
  hookEventName: 'PreToolUse',
  permissionDecision: 'deny',
  permissionDecisionReason: reason,
});

it('refuses, leaves to Claude Code, waits for a person; and the trace has each', async () => {
  await waitFor('serve is not there', async () =>
    (await hook('PreToolUse', bash('ls', 't0'))) === undefined ? true : undefined,
  );
  await hook('UserPromptSubmit', { prompt: 'go' }, []);
  expect(await hook('PreToolUse', bash('sudo shutdown now', 't1'))).toEqual(
    deny('Blocked by policy (denied): Not this machine.'),
  );
  const write = { tool_name: 'Write', tool_input: { file_path: '/c/a', content: 'b' }, tool_use_id: 't2' };
  const asked = hook('PreToolUse', write);
  await serve.approve(await serve.waiting());
  expect(await asked).toBeUndefined();
  await hook('PostToolUse', { ...write, tool_response: { filePath: '/c/a' }, duration_ms: 2 });
  await hook('PostToolBatch', { tool_calls: [bash('sudo shutdown now', 't1')] }, []);
  await hook('Stop', { last_assistant_message: 'done' }, []);
  const spans = await waitFor('no spans', async () => {
    const all = serve.spans();
    return all.some(({ name }) => name.startsWith('invoke_agent')) ? all : undefined;
  });
  const tool = (id: string) => spans.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === `"${id}"`);
  expect(JSON.stringify(tool('t1')?.events)).toContain('CommandGuard');
  expect(tool('t1')?.attributes['hermes.tool.status']).toBe('"blocked"');
  const approval = spans.find(({ name }) => name.startsWith('approval'));
  expect(approval?.parentSpanId).toBe(tool('t2')?.spanId);
}, 120_000);

it('refuses when the service is killed while a person thinks, or is not there; lets run where that is set', async () => {
  await waitFor('serve is not there', async () =>
    (await hook('PreToolUse', bash('ls', 't0'))) === undefined ? true : undefined,
  );
  const write = { tool_name: 'Write', tool_input: { file_path: '/c/a', content: 'b' }, tool_use_id: 't2' };
  const asked = hook('PreToolUse', write);
  await serve.waiting();
  await serve.kill();
  expect(await asked).toEqual(deny(expect.stringContaining('policy could not be asked')));
  expect(await hook('PreToolUse', bash('ls', 't3'))).toEqual(
    deny(expect.stringContaining('policy could not be asked')),
  );
  expect(await hook('PreToolUse', bash('ls', 't4'), ['--policy', '--policy-unreachable', 'allow'])).toBeUndefined();
}, 120_000);
