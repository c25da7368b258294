import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../builtin/hook-context.test-support.js';
import type { HookContext } from '../hooks/hook.js';
import { registerHook } from '../hooks/registered-hook.js';
import { type CommandHookOptions, commandHook } from './command-hook.js';
import { PinFile } from './pin-file.js';

const folder = () => mkdtempSync(join(tmpdir(), 'hook-'));

function script(text: string, name = 'hook.sh', at = folder()): string {
  const path = join(at, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

async function run(
  command: CommandHookOptions['command'],
  more: Partial<CommandHookOptions> = {},
  context: Partial<HookContext> = {},
) {
  const hook = await commandHook({ name: 'h', event: 'PreToolUse', command, ...more });
  // What it gives is a hook that a policy takes.
  registerHook(hook, 1);
  return hook.execute(contextOf(context));
}

const sh = (text: string) => ['/bin/sh', '-c', text];
const says = (value: unknown) => sh(`cat >/dev/null; printf '%s' '${JSON.stringify(value)}'`);
const claude = (more: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });

describe('answers of scripts', () => {
  it.each<[string, unknown, unknown]>([
    ['Claude Code: allow', claude({ permissionDecision: 'allow' }), undefined],
    [
      'Claude Code: deny',
      claude({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
      { allow: false, error: 'no' },
    ],
    [
      'Claude Code: ask',
      claude({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
      { ask: { title: 'sure?' } },
    ],
    [
      'Claude Code: defer',
      claude({ permissionDecision: 'defer' }),
      { allow: false, error: 'The policy put the decision off.' },
    ],
    [
      'Claude Code: other arguments',
      claude({ permissionDecision: 'allow', updatedInput: { a: 2 } }),
      { modifiedArgs: { a: 2 } },
    ],
    ['Claude Code: context', claude({ additionalContext: 'x' }), undefined],
    ['Claude Code: the old form', { decision: 'block', reason: 'no' }, { allow: false, error: 'no' }],
    ['Claude Code: stop', { continue: false, stopReason: 'stop' }, { allow: false, error: 'stop' }],
    ['Hermes: block', { action: 'block', message: 'no' }, { allow: false, error: 'no' }],
    [
      'Hermes: block without a reason',
      { action: 'block' },
      { allow: false, error: 'Blocked by a script of the policy.' },
    ],
    ['Hermes: modify', { action: 'modify', args: { b: 3 } }, { modifiedArgs: { a: 1, b: 3 } }],
    ['Hermes: modify, other dialect', { decision: 'modify', tool_input: { a: 3 } }, { modifiedArgs: { a: 3 } }],
    ['Hermes: approve', { action: 'approve', message: 'sure?' }, { ask: { title: 'sure?' } }],
    [
      'a block beats what else it says',
      { action: 'modify', args: { a: 3 }, decision: 'block', reason: 'no' },
      { allow: false, error: 'no' },
    ],
    ['nothing of note', {}, undefined],
  ])('%s', async (_name, said, answer) => expect(await run(says(said), {}, { args: { a: 1 } })).toEqual(answer));

  it('takes exit code 2 for a block, with what it wrote to its standard error', async () => {
    expect(await run(sh('echo not this one >&2; exit 2'))).toEqual({ allow: false, error: 'not this one' });
    expect(await run(sh('exit 2'))).toEqual({ allow: false, error: 'Blocked by a script of the policy.' });
    expect(await run(sh(`echo '{"action":"block","message":"no"}'; exit 2`))).toEqual({ allow: false, error: 'no' });
    expect(await run(sh(`echo '{"action":"block","message":"no"}'; exit 1`))).toEqual({ allow: false, error: 'no' });
  });

  it('takes exit code 0 without a word for no objection', async () => {
    expect(await run(sh('cat >/dev/null'))).toBeUndefined();
    expect(await run(sh('exit 0'), {}, { args: { big: 'x'.repeat(5_000_000) } })).toBeUndefined();
  });

  it('runs scripts that exist: one with jq for Claude Code, one in Python for Hermes Agent', async () => {
    const jq = script(
      '#!/usr/bin/env bash\nC=$(jq -r .tool_input.command)\nif [[ "$C" == *"rm -rf"* ]]; then\n  jq -n \'{hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"deny",permissionDecisionReason:"no rm"}}\'\nfi\n',
    );
    expect(await run([jq], {}, { args: { command: 'rm -rf /' } })).toEqual({ allow: false, error: 'no rm' });
    expect(await run([jq], {}, { args: { command: 'ls' } })).toBeUndefined();
    const python = script(
      "import json, sys\np = json.load(sys.stdin)\nassert p['hook_event_name'] == 'pre_tool_call', p\nif p['tool_name'] == 'pay': print(json.dumps({'action': 'block', 'message': p['extra']['tool_call_id']}))\n",
      'hook.py',
    );
    expect(await run(['python3', python], { format: 'hermes' }, { tool: 'pay' })).toEqual({
      allow: false,
      error: 'call-1',
    });
    expect(await run(['python3', python], { format: 'hermes' })).toBeUndefined();
  }, 60_000);

  it('gives results to scripts, and takes others from them', async () => {
    const command = sh(`cat > "$OUT"; printf '%s' '{"hookSpecificOutput":{"updatedToolOutput":"less"}}'`);
    const out = join(folder(), 'out');
    const answer = await run(
      command,
      { event: 'PostToolUse', env: { OUT: out } },
      { event: 'PostToolUse', result: 'more', status: 'ok' },
    );
    expect(answer).toEqual({ modifiedResult: 'less' });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: 'more',
      extra: { status: 'ok' },
    });
  });
});

describe('a broken script blocks: it fails, which is told apart from a deny', () => {
  it.each<[string, CommandHookOptions['command'], string]>([
    ['another exit code', sh('echo oops >&2; exit 1'), 'it ended with code 1: oops'],
    ['another exit code without a word (Hermes lets this pass)', sh('exit 3'), 'code 3'],
    [
      'another exit code with an allowance',
      sh(`echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; exit 1`),
      'code 1',
    ],
    ['a signal', sh('kill -SEGV $$'), 'SIGSEGV'],
    ['no JSON', sh('echo Traceback'), 'no JSON'],
    ['half a JSON', sh(`printf '{"decision":'`), 'no JSON'],
    ['JSON that is no object', sh('echo [1]'), 'no object'],
    ['a word that is none', says({ decision: 'yes' }), 'a word that is none'],
    ['a word of another kind', says({ decision: true }), 'a word that is none'],
    ['a decision named after an inherited property', says({ decision: 'constructor' }), 'a word that is none'],
    ['a modify without arguments', says({ action: 'modify' }), 'gives none'],
    ['arguments that are a list', says(claude({ updatedInput: [1] })), 'gives none'],
    ['output of another shape', says({ hookSpecificOutput: 'deny' }), 'is no object'],
    ['a program that is not there', ['/nonexistent/program'], 'cannot be started'],
    ['a file that is no program', [script('text', 'a.txt').replace('a.txt', '.')], 'cannot be started'],
    ['a script that Python does not find, which ends with 2', ['python3', '/nonexistent/hook.py'], 'it did not run'],
    ['a script that a shell does not find', ['/bin/sh', '/nonexistent/hook.sh'], 'it did not run'],
    ['a syntax error of a shell, which ends with 2', sh('if'), 'it did not run'],
  ])('%s', async (_name, command, message) => {
    await expect(run(command)).rejects.toThrow(message);
  });

  it('a script that is late: it and all that it started are killed, those in the background too', async () => {
    const at = folder();
    const command = sh(
      `(sleep 0.6; echo late > ${at}/grandchild) & sh -c 'trap "" TERM; sleep 0.6; echo late > ${at}/child'; exit 0`,
    );
    const began = performance.now();
    await expect(run(command, { timeoutMs: 150 })).rejects.toThrow('longer than 200 ms');
    expect(performance.now() - began).toBeLessThan(550);
    await sleep(900);
    expect([existsSync(join(at, 'child')), existsSync(join(at, 'grandchild'))]).toEqual([false, false]);
  });

  it('a script that ends and leaves one behind that holds its output does not hold up the call', async () => {
    const began = performance.now();
    expect(await run(sh('sleep 20 & exit 0'))).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('a script that writes without end, to either output', async () => {
    await expect(run(sh('yes'))).rejects.toThrow('more than 1048576 bytes');
    await expect(run(sh('yes >&2'))).rejects.toThrow('more than 1048576 bytes');
  });

  it('a call that nobody waits for any more', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    await expect(run(sh('sleep 20'), {}, { signal: stop.signal })).rejects.toThrow('nobody waits');
    await expect(run(sh('exit 0'), {}, { signal: AbortSignal.abort() })).rejects.toThrow('nobody waits');
  });

  it('arguments that JSON cannot say', async () => {
    await expect(run(sh('exit 0'), {}, { args: { amount: Number.NaN } })).rejects.toThrow('JSON cannot say');
    await expect(run(sh('exit 0'), {}, { args: { x: { toJSON: () => 1 } } })).rejects.toThrow('JSON cannot say');
  });
});

describe('nothing of a call gets into the command', () => {
  const hostile = `'; touch pwned; $(touch pwned) \`touch pwned\` " & | \n {} $HOME -rf`;
  it.each([
    ['as words', false],
    ['as a line for a shell', true],
  ])('%s', async (_name, shell) => {
    const at = folder();
    const command = 'cat > got; env > env; echo "$0 $@" > words';
    await run(
      shell ? command : ['/bin/sh', '-c', command],
      { shell, cwd: at },
      { tool: hostile, callId: hostile, args: { command: hostile, [hostile]: 1 } },
    );
    expect(JSON.parse(readFileSync(join(at, 'got'), 'utf8'))).toMatchObject({
      tool_name: hostile,
      tool_input: { command: hostile },
    });
    expect(existsSync(join(at, 'pwned'))).toBe(false);
    expect(readFileSync(join(at, 'env'), 'utf8') + readFileSync(join(at, 'words'), 'utf8')).not.toContain('touch');
  });

  it('gives it no variable but those that are named', async () => {
    const at = folder();
    process.env.SECRET_TOKEN = 'hunter2';
    process.env.WANTED = 'yes';
    await run(sh('env > env'), { cwd: at, passEnv: ['WANTED'], env: { FIXED: '1' } });
    const names = readFileSync(join(at, 'env'), 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'WANTED', 'FIXED', 'CLAUDE_PROJECT_DIR']));
    expect(names).not.toContain('SECRET_TOKEN');
  });
});

describe('commands are pinned by their content', () => {
  it('blocks once the script was edited, also with its old time of change, and says how to accept it', async () => {
    const at = folder();
    const path = script('exit 0\n', 'hook.sh', at);
    const pins = new PinFile(join(at, 'pins.json'));
    const hook = await commandHook({ name: 'h', event: 'PreToolUse', command: ['/bin/sh', path], pins });
    expect(await hook.execute(contextOf())).toBeUndefined();
    const old = new Date(0);
    utimesSync(path, old, old);
    expect(await hook.execute(contextOf())).toBeUndefined();
    writeFileSync(path, 'exit 0 \n');
    utimesSync(path, old, old);
    await expect(hook.execute(contextOf())).rejects.toThrow(`delete the line \`h\` in ${pins.path}`);
    await expect(
      commandHook({ name: 'h', event: 'PreToolUse', command: ['/bin/sh', path], pins }),
    ).rejects.toMatchObject({ code: 'HO_POLICY_CONFIG' });
    writeFileSync(path, 'exit 0\n');
    expect(await hook.execute(contextOf())).toBeUndefined();
  });

  it('blocks once the script is another file, is gone, or the words changed', async () => {
    const at = folder();
    const pins = new PinFile(join(at, 'pins.json'));
    script('exit 0\n', 'a.sh', at);
    script('exit 0 # b\n', 'b.sh', at);
    mkdirSync(join(at, 'sub'));
    symlinkSync(join(at, 'a.sh'), join(at, 'hook.sh'));
    const options = { name: 'h', event: 'PreToolUse', command: ['sh', 'hook.sh'], cwd: at, pins } as const;
    const hook = await commandHook(options);
    await hook.execute(contextOf());
    await expect(commandHook({ ...options, command: ['sh', 'hook.sh', '-x'] })).rejects.toThrow(
      'not the one that was accepted',
    );
    await expect(commandHook({ ...options, command: 'sh hook.sh', shell: true })).rejects.toThrow(
      'not the one that was accepted',
    );
    const { renameSync } = await import('node:fs');
    symlinkSync(join(at, 'b.sh'), join(at, 'other.sh'));
    renameSync(join(at, 'other.sh'), join(at, 'hook.sh'));
    await expect(hook.execute(contextOf())).rejects.toThrow('not the one that was accepted');
  });

  it('sees files in a line for a shell', async () => {
    const at = folder();
    const path = script('exit 0\n', 'hook.sh', at);
    const pins = new PinFile(join(at, 'pins.json'));
    const hook = await commandHook({
      name: 'h',
      event: 'PreToolUse',
      command: 'sh "$CLAUDE_PROJECT_DIR"/hook.sh',
      shell: true,
      cwd: at,
      pins,
    });
    await hook.execute(contextOf());
    writeFileSync(path, 'exit 0 # edited\n');
    await expect(hook.execute(contextOf())).rejects.toThrow('not the one that was accepted');
  });

  it('may be given the digest itself', async () => {
    const path = script('exit 0\n');
    await expect(run(['/bin/sh', path], { sha256: '0'.repeat(64) })).rejects.toThrow(
      /set `sha256` of it to [0-9a-f]{64}/,
    );
  });

  it('does not take the answer of one that changed while it ran', async () => {
    const at = folder();
    const pins = new PinFile(join(at, 'pins.json'));
    const path = script('echo "# more" >> "$0"; exit 0', 'hook.sh', at);
    const hook = await commandHook({ name: 'h', event: 'PreToolUse', command: ['/bin/sh', path], pins });
    await expect(hook.execute(contextOf())).rejects.toThrow('not the one that was accepted');
  });

  it('accepts nothing where the list of the accepted ones is no list', async () => {
    const at = folder();
    writeFileSync(join(at, 'pins.json'), '[');
    await expect(run(['true'], { pins: new PinFile(join(at, 'pins.json')) })).rejects.toMatchObject({
      code: 'HO_POLICY_CONFIG',
    });
  });
});

describe('a mistake stops the start', () => {
  it.each<[string, object, string]>([
    ['a typo', { comand: ['x'] }, 'Did you mean `command`'],
    ['a line without `shell`', { command: 'rm -rf x' }, 'must be a list of words'],
    ['words with `shell`', { command: ['a'], shell: true }, 'must be one line'],
    ['no command', { command: [] }, 'must be a list of words'],
    ['a name of a variable', { command: ['a'], passEnv: ['A=B'] }, 'no name of a variable'],
    ['a value of a variable', { command: ['a'], env: { A: 1 } }, 'must be a text'],
    ['a format', { command: ['a'], format: 'cursor' }, 'claude or hermes'],
  ])('%s', async (_name, options, message) => {
    await expect(commandHook({ name: 'h', event: 'PreToolUse', ...options } as CommandHookOptions)).rejects.toThrow(
      expect.objectContaining({ code: 'HO_POLICY_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});
