import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { skipWith } from '../../skip-with.js';

const python = process.env.PYTHON ?? 'python3';
const hasPython = spawnSync(python, ['-c', 'import pty']).status === 0;
const driver = fileURLToPath(new URL('on-terminal.py', import.meta.url));
const program = fileURLToPath(new URL('asks-at-terminal.mjs', import.meta.url));
const WHO = `terminal:${process.getuid?.()}`;

interface Result {
  readonly seen: string;
  readonly said: { states: string[]; fault: string; input: string };
}

async function onTerminal(script: object, questions = 1): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'on-terminal-'));
  const file = join(folder, 'out');
  const out = openSync(file, 'w');
  try {
    const args = [
      driver,
      JSON.stringify({ stdin: '', steps: [], ...script }),
      process.execPath,
      program,
      String(questions),
    ];
    const child = spawn(python, args, {
      stdio: ['ignore', 'pipe', 'inherit', out],
      env: { ...process.env, PROGRAM_OUT: '3' },
    });
    let seen = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      seen += chunk;
    });
    await new Promise((resolve) => child.on('close', resolve));
    return { seen, said: JSON.parse(readFileSync(file, 'utf8')) };
  } finally {
    closeSync(out);
    rmSync(folder, { recursive: true });
  }
}

describe('a real terminal', () => {
  it('is asked at, one question at a time; standard input stays the agent’s', async (context) => {
    if (!hasPython) skipWith(context, `${python} has no pty`);
    const steps = [
      ['Tool: tool-0', '', 0],
      ['Reject) > ', 'maybe\n', 0.7],
      ['Reject) > ', 'y\n'],
      ['Tool: tool-1', '', 0],
      ['Reject) > ', 'n\n', 0.7],
    ];
    const { seen, said } = await onTerminal({ stdin: 'y\nfor the agent\n', steps }, 2);
    expect(said).toMatchObject({
      states: [`approved ${WHO}`, `rejected ${WHO}`],
      fault: '',
      input: 'y\nfor the agent\n',
    });
    // The terminal echoes what is typed; of the call nothing is a command to it.
    expect(seen).toContain('\\u001b[2J\\u202e');
    expect(seen).not.toContain('\u001b');
  });

  it('typed ahead is no answer', async (context) => {
    if (!hasPython) skipWith(context, `${python} has no pty`);
    const steps = [
      ['Reject) > ', 'y\n'],
      ['does not count', 'n\n', 0.7],
    ];
    const { said } = await onTerminal({ steps });
    expect(said.states).toEqual([`rejected ${WHO}`]);
  });

  it('without a terminal nobody is asked, and nothing hangs', async () => {
    const child = spawnSync('setsid', [process.execPath, program], { encoding: 'utf8', timeout: 30_000, input: 'y\n' });
    const said = JSON.parse(child.stdout);
    expect(said.states).toEqual([]);
    expect(said.fault).toMatch(/^HO_POLICY_CHANNEL: .*There is no terminal to ask at/);
    expect(said.input).toBe('y\n');
  });

  it('in the background nobody is asked, and the process is not stopped', async (context) => {
    if (!hasPython || process.platform !== 'linux') skipWith(context, 'it takes Linux, and a Python with pty');
    const { said } = await onTerminal({ background: true });
    expect(said.fault).toContain('this process is in the background');
  });
});
