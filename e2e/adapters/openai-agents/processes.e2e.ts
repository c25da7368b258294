import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { SpanServer } from '../span-server.js';

const program = fileURLToPath(new URL('agent.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
const server = await SpanServer.start();

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
async function run(...args: string[]): Promise<string> {
  const all = ['--import', '@hermes-observer/openai-agents/register', program, ...args];
  const { code, stdout, stderr } = await server.run(all, { env: { OPENAI_AGENTS_DISABLE_TRACING: '1' } });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

it.each(['import', 'require'])(
  'a program without a line for it is observed, its last spans included: %s',
  async (form) => {
    expect(await run('run', '-', form)).toBe('Sunny.');
    expect(server.tree()).toEqual(['invoke_agent hermes: completed', '  chat', '  execute_tool weather: ok', '  chat']);
  },
);

it.each([
  ['allow', 'ok', 'once'],
  ['deny', 'blocked', 'deny'],
])('an approval is answered in another process: %s', async (action, status, choice) => {
  const path = join(folder, `${action}.json`);
  await run('ask', path);
  expect(server.tree()).toEqual(['invoke_agent hermes: completed', '  chat', '  approval weather: pending']);
  expect(readFileSync(path, 'utf8')).toContain('tool_approval_item');
  server.spans.length = 0;
  expect(await run(action, path)).toBe('Sunny.');
  expect(server.tree()).toEqual([
    'invoke_agent hermes: completed',
    `  execute_tool weather: ${status}`,
    `    approval weather: ${choice}`,
    '  chat',
  ]);
});
