import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RECORDING = 'conformance/recordings/0.22.2/c-parallel-tools.ndjson';

it('plain-observer counts tool calls by how they ended', async () => {
  const { code, stdout, stderr } = await runNode(['examples/plain-observer.mjs', RECORDING]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'read_file ok 2\nsearch_files ok 1\n', stderr: '' });
});

it('plain-observer runs on the bundled recording', async () => {
  const { code, stdout } = await runNode(['examples/plain-observer.mjs']);
  expect(code).toBe(0);
  expect(stdout).toContain('delegate_task ok 1\n');
});

it('replay-to-file writes the same spans as the command', async () => {
  const [own, command] = [join(folder, 'own.jsonl'), join(folder, 'command.jsonl')];
  const { code, stdout } = await runNode(['examples/replay-to-file.mjs', RECORDING, own]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^20 records, \d+ spans in /);
  await runNode(['packages/cli/bin/hermes-observer.js', 'replay', RECORDING, '--otlp-file', command]);
  expect(readFileSync(own, 'utf8')).toBe(readFileSync(command, 'utf8'));
});

it('custom-exporter prints a line a turn', async () => {
  const { code, stdout, stderr } = await runNode([
    'examples/custom-exporter.mjs',
    'conformance/recordings/0.22.2/q-two-turns-then-close-and-new.ndjson',
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    'completed: 1 requests, 0 tools, 1961 tokens\n' +
      'completed: 3 requests, 2 tools, 6367 tokens\n' +
      'completed: 1 requests, 0 tools, 1635 tokens\n',
  );
});

it('in-process-agent answers and prints its trace', async () => {
  const { code, stdout, stderr } = await runNode(['examples/in-process-agent.mjs', join(folder, 'agent.jsonl')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    'A table at Da Enzo, and it stays dry.',
    '',
    'invoke_agent planner',
    '  chat gpt-5  ! hermes.api.attempt_failed',
    '  execute_tool weather [ok]',
    '  execute_tool research [ok]',
    '    invoke_agent researcher',
    '      chat gpt-5',
    '  chat gpt-5',
    '  execute_tool read_file [blocked]',
    '  chat gpt-5',
    '  execute_tool book_table [ok]',
    '    approval book_table [once]',
    '  chat gpt-5',
    '  chat gpt-5',
    '',
  ]);
});

it('has a test for every example', () => {
  expect(readdirSync(join(TOP, 'examples')).filter((name) => name.endsWith('.mjs'))).toEqual([
    'custom-exporter.mjs',
    'in-process-agent.mjs',
    'plain-observer.mjs',
    'replay-to-file.mjs',
  ]);
});
