import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { SpanServer } from '../span-server.js';

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
const server = await SpanServer.start();

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly isObserved?: boolean;
}

async function run(args: string[], { env: more = {}, isObserved = true }: Run = {}): Promise<string> {
  const all = [...(isObserved ? ['--import', '@hermes-observer/langchain/register'] : []), ...args];
  const { code, stdout, stderr } = await server.run(all, { env: more });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const RUN = ['invoke_agent hermes: completed', '  chat test-model', '  execute_tool weather: ok', '  chat test-model'];

it.each(['agent.mjs', 'agent.cjs'])(
  'a program without a line for it is observed, its last spans included: %s',
  async (name) => {
    expect(await run([program(name), 'run'])).toBe('Sunny.');
    expect(server.tree()).toEqual(RUN);
  },
);

it.each([
  ['approve', 'ok', 'once'],
  ['reject', 'blocked', 'deny'],
])('a question is answered in another process: %s', async (action, status, choice) => {
  const path = join(folder, `${action}.json`);
  await run([program('agent.mjs'), 'ask', path]);
  expect(server.tree()).toEqual(['invoke_agent hermes: completed', '  chat test-model', '  approval weather: pending']);
  server.spans.length = 0;
  expect(await run([program('agent.cjs'), action, path])).toBe('Sunny.');
  expect(server.tree()).toEqual([
    'invoke_agent hermes: completed',
    `  execute_tool weather: ${status}`,
    `    approval weather: ${choice}`,
    '  chat test-model',
  ]);
});

it('a program with the core alone runs as without, before and after it loads what hands configurations on', async () => {
  const without = await run([program('core-alone.mjs')], { isObserved: false });
  const tags = JSON.parse(without)[2].flatMap(([kind, , all]: [string, boolean, string[]]) =>
    kind === 'chain' ? [all] : [],
  );
  // What the outer run hands on to the inner one.
  expect(tags).toEqual([['outer'], [], ['outer'], ['outer']]);
  expect(await run([program('core-alone.mjs')])).toBe(without);
  expect(server.tree()).toEqual([
    'invoke_agent hermes: completed',
    '  chat test-model',
    'invoke_agent hermes: completed',
    '  chat test-model',
  ]);
});

it('a program that has its stacks made otherwise runs as without', async () => {
  expect(await run([program('own-stacks.mjs')])).toBe('asks');
  expect(server.tree()).toEqual(['invoke_agent hermes: completed', '  chat test-model']);
});
