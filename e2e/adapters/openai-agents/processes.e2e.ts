import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

const program = fileURLToPath(new URL('agent.mjs', import.meta.url));
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

async function run(...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
  };
  const all = ['--import', '@hermes-observer/openai-agents/register', program, ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, all, { env, timeout: 30_000 });
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

it.each(['import', 'require'])(
  'a program without a line for it is observed, its last spans included: %s',
  async (form) => {
    expect(await run('run', '-', form)).toBe('Sunny.');
    expect(tree()).toEqual(['invoke_agent hermes: completed', '  chat', '  execute_tool weather: ok', '  chat']);
  },
);

it.each([
  ['allow', 'ok', 'once'],
  ['deny', 'blocked', 'deny'],
])('an approval is answered in another process: %s', async (action, status, choice) => {
  const path = join(folder, `${action}.json`);
  await run('ask', path);
  expect(tree()).toEqual(['invoke_agent hermes: completed', '  chat', '  approval weather: pending']);
  expect(readFileSync(path, 'utf8')).toContain('tool_approval_item');
  spans.length = 0;
  expect(await run(action, path)).toBe('Sunny.');
  expect(tree()).toEqual([
    'invoke_agent hermes: completed',
    `  execute_tool weather: ${status}`,
    `    approval weather: ${choice}`,
    '  chat',
  ]);
});
