import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type ReceivedSpan, SpanServer } from '../span-server.js';

const program = fileURLToPath(new URL('agent.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
const server = await SpanServer.start();

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
async function run(...args: string[]): Promise<string> {
  const all = ['--import', '@hermes-observer/ai-sdk/register', ...args];
  const { code, stdout, stderr } = await server.run(all);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const RUN = ['invoke_agent hermes: completed', '  chat test-model', '  execute_tool weather: ok', '  chat test-model'];

it('a program without a line for it is observed, its last spans included', async () => {
  expect(await run(program, 'run')).toBe('Sunny.');
  expect(server.tree()).toEqual(RUN);
});

it('a CommonJS program is as well', async () => {
  expect(await run(program.replace(/mjs$/, 'cjs'), 'run')).toBe('Sunny.');
  expect(server.tree()).toEqual(RUN);
});

it.each([
  ['allow', 'ok', 'once'],
  ['deny', 'blocked', 'deny'],
])('an approval is answered in another process: %s', async (action, status, choice) => {
  const path = join(folder, `${action}.json`);
  await run(program, 'ask', path);
  expect(server.tree()).toEqual(['invoke_agent hermes: completed', '  chat test-model', '  approval weather: pending']);
  const question = server.spans.find(({ name }) => name.startsWith('approval'));
  server.spans.length = 0;
  expect(await run(program, action, path)).toBe('Sunny.');
  expect(server.tree()).toEqual([
    'invoke_agent hermes: completed',
    `  execute_tool weather: ${status}`,
    `    approval weather: ${choice}`,
    '  chat test-model',
  ]);
  const id = (span: ReceivedSpan | undefined) =>
    span?.attributes.find(({ key }) => key === 'hermes.approval.request_id')?.value;
  expect(id(question)).toBeDefined();
  expect(id(server.spans.find(({ name }) => name.startsWith('approval')))).toEqual(id(question));
});
