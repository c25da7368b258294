import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
}

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
const spans: Span[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString());
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  spans.length = 0;
});

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly isObserved?: boolean;
}

async function run(args: string[], { env: more = {}, isObserved = true }: Run = {}): Promise<string> {
  const env = {
    ...process.env,
    ...more,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
  };
  const all = [...(isObserved ? ['--import', '@hermes-observer/langchain/register'] : []), ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, all, { env, timeout: 20_000 });
  expect(stderr).toBe('');
  return stdout.trim();
}

function tree(parent?: string, depth = 0): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const told = ({ attributes }: Span) =>
    attributes.find(({ key }) => /hermes\.(turn\.outcome|tool\.status|approval\.choice)/.test(key))?.value.stringValue;
  return spans
    .filter(({ parentSpanId }) => (parentSpanId && ids.has(parentSpanId) ? parentSpanId : undefined) === parent)
    .sort((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
    .flatMap((span) => [
      `${'  '.repeat(depth)}${span.name}${told(span) === undefined ? '' : `: ${told(span)}`}`,
      ...tree(span.spanId, depth + 1),
    ]);
}

const RUN = ['invoke_agent hermes: completed', '  chat test-model', '  execute_tool weather: ok', '  chat test-model'];

it.each(['agent.mjs', 'agent.cjs'])(
  'a program without a line for it is observed, its last spans included: %s',
  async (name) => {
    expect(await run([program(name), 'run'])).toBe('Sunny.');
    expect(tree()).toEqual(RUN);
  },
);

it.each([
  ['approve', 'ok', 'once'],
  ['reject', 'blocked', 'deny'],
])('a question is answered in another process: %s', async (action, status, choice) => {
  const path = join(folder, `${action}.json`);
  await run([program('agent.mjs'), 'ask', path]);
  expect(tree()).toEqual(['invoke_agent hermes: completed', '  chat test-model', '  approval weather: pending']);
  spans.length = 0;
  expect(await run([program('agent.cjs'), action, path])).toBe('Sunny.');
  expect(tree()).toEqual([
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
  expect(tree()).toEqual([
    'invoke_agent hermes: completed',
    '  chat test-model',
    'invoke_agent hermes: completed',
    '  chat test-model',
  ]);
});

it('a program that has its stacks made otherwise runs as without', async () => {
  expect(await run([program('own-stacks.mjs')])).toBe('asks');
  expect(tree()).toEqual(['invoke_agent hermes: completed', '  chat test-model']);
});
