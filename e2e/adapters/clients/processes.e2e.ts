// Programs that know of no observer, in processes of their own.
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly events?: readonly { name: string }[];
}

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
afterAll(() => void server.close());
beforeEach(() => {
  spans.length = 0;
});

async function run(program: string) {
  const env = {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
  };
  const path = fileURLToPath(new URL(program, import.meta.url));
  const all = ['--import', '@hermes-observer/clients/register', path];
  return promisify(execFile)(process.execPath, all, { env, timeout: 20_000 });
}

function tree(parent?: string, depth = 0): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans
    .filter(({ parentSpanId }) => (parentSpanId && ids.has(parentSpanId) ? parentSpanId : undefined) === parent)
    .sort((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
    .flatMap((span) => [
      `${'  '.repeat(depth)}${span.name}${(span.events ?? []).map(({ name }) => ` ! ${name}`).join('')}`,
      ...tree(span.spanId, depth + 1),
    ]);
}

const loop = (model: string) => [
  'invoke_agent hermes',
  `  chat ${model} ! hermes.api.attempt_failed`,
  '  execute_tool weather',
  `  chat ${model}`,
];

it.each(['agent.mjs', 'agent.cjs'])(
  '%s is observed without a line for it, its last spans included',
  async (program) => {
    expect(await run(program)).toEqual({ stdout: 'Sunny.\nSunny.\n', stderr: '' });
    expect(tree()).toEqual([...loop('gpt'), ...loop('claude')]);
  },
);
