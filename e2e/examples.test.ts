import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RECORDING = 'conformance/recordings/0.22.2/c-parallel-tools.ndjson';

/** What an example prints that ends well and complains of nothing. */
async function linesOf(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runNode(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim().split('\n');
}

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

it('ai-sdk-agent has an agent of the AI SDK as a tree', async () => {
  expect(await linesOf('examples/ai-sdk-agent.mjs')).toEqual([
    'Da Enzo, outside.',
    'invoke_agent planner',
    '  chat large-model',
    '  execute_tool weather',
    '  execute_tool research',
    '    invoke_agent researcher',
    '      chat small-model',
    '  chat large-model',
  ]);
});

it('clients-agent has a loop around two clients as a tree', async () => {
  expect(await linesOf('examples/clients-agent.mjs')).toEqual([
    'Da Enzo, outside.',
    'invoke_agent planner',
    '  chat large-model  ! hermes.api.attempt_failed',
    '  execute_tool weather',
    '  execute_tool research',
    '    invoke_agent researcher',
    '      chat small-model',
    '  chat large-model',
  ]);
});

it('langchain-agent has an agent of LangChain as a tree', async () => {
  expect(await linesOf('examples/langchain-agent.mjs')).toEqual([
    'Da Enzo, outside.',
    'invoke_agent planner',
    '  chat large-model',
    '  execute_tool weather',
    '  execute_tool research',
    '    invoke_agent researcher',
    '      chat small-model',
    '  chat large-model',
  ]);
});

it('openai-agents-agent has agents of the OpenAI Agents SDK as a tree', async () => {
  expect(await linesOf('examples/openai-agents-agent.mjs')).toEqual([
    'A table at Da Enzo, outside.',
    'invoke_agent planner',
    '  chat large-model',
    '  execute_tool weather',
    '  execute_tool research',
    '    invoke_agent researcher',
    '      chat small-model  ! hermes.api.attempt_failed',
    '  chat large-model',
    '  invoke_agent booking',
    '    chat other-model',
  ]);
});

it('mixed-agents has agents of three frameworks as one tree', async () => {
  expect(await linesOf('examples/mixed-agents.mjs')).toEqual([
    'Da Enzo, outside.',
    'invoke_agent planner',
    '  chat large-model',
    '  execute_tool forecast',
    '    invoke_agent forecaster',
    '      chat',
    '      execute_tool weather',
    '      chat',
    '  execute_tool critic',
    '    invoke_agent critic',
    '      chat',
    '  chat large-model',
  ]);
});

it('claude-agent has an agent of the Claude Agent SDK as a tree', async () => {
  expect(await linesOf('examples/claude-agent.mjs')).toEqual([
    'Sunny.',
    'invoke_agent planner',
    '  chat test-model',
    '  execute_tool Agent',
    '    invoke_agent researcher',
    '      chat child-model',
    '  chat test-model',
  ]);
});

it('custom-processor puts the tenant of the caller on each span', async () => {
  expect(await linesOf('examples/custom-processor.mjs')).toEqual([
    'execute_tool search: acme',
    'invoke_agent hermes: acme',
    'execute_tool search: Müller',
    'invoke_agent hermes: Müller',
    'execute_tool search: no tenant',
    'invoke_agent hermes: no tenant',
  ]);
});

/** What `run` gets as the endpoint answers with `listener`. */
async function withServer<T>(listener: RequestListener, run: (endpoint: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

interface TraceBody {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: { readonly spanId: string }[] }[] }[];
}

it('send-to-collector sends the spans that replay-to-file writes', async () => {
  const requests: { url: string | undefined; body: string }[] = [];
  const { code, stdout, stderr } = await withServer(
    async (request, response) => {
      requests.push({ url: request.url, body: await text(request) });
      response.setHeader('content-type', 'application/json').end('{}');
    },
    (endpoint) =>
      runNode(['examples/send-to-collector.mjs', endpoint, RECORDING], {
        env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      }),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/traces']);
  const spans = requests
    .flatMap(({ body }) => (JSON.parse(body) as TraceBody).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  expect(stdout).toMatch(/^20 records, \d+ spans sent to http:\/\/127\.0\.0\.1:\d+\/v1\/traces, 0 lost\n$/);
  expect(stdout).toContain(` ${spans.length} spans sent`);
  expect(spans.length).toBeGreaterThan(5);
  const file = join(folder, 'sent.jsonl');
  await runNode(['examples/replay-to-file.mjs', RECORDING, file]);
  for (const { spanId } of spans) expect(readFileSync(file, 'utf8')).toContain(`"spanId":"${spanId}"`);
});

it('send-to-collector takes its endpoint from the environment, and says what a backend rejects', async () => {
  const { code, stdout, stderr } = await withServer(
    (request, response) => {
      request.resume();
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } }));
    },
    (endpoint) => runNode(['examples/send-to-collector.mjs'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } }),
  );
  expect(code).toBe(1);
  expect(stderr).toContain('too old');
  expect(stdout).toMatch(/^43 records, 10 spans sent to .*, 2 lost\n$/);
});

it('send-to-collector ends with code 1 and counts all spans as lost when nothing listens', async () => {
  const endpoint = await withServer(
    () => {},
    async (address) => address,
  );
  const { code, stdout, stderr } = await runNode(['examples/send-to-collector.mjs', endpoint], {
    env: { OTEL_EXPORTER_OTLP_TIMEOUT: '1000' },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('ECONNREFUSED');
  expect(stdout).toBe(`43 records, 0 spans sent to ${endpoint}/v1/traces, 12 lost\n`);
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
    'ai-sdk-agent.mjs',
    'claude-agent.mjs',
    'clients-agent.mjs',
    'custom-exporter.mjs',
    'custom-processor.mjs',
    // Run by `npm run e2e:compat`, in apps that have sdk-node.
    'existing-sdk.mjs',
    'in-process-agent.mjs',
    'langchain-agent.mjs',
    'mixed-agents.mjs',
    'openai-agents-agent.mjs',
    'plain-observer.mjs',
    'replay-to-file.mjs',
    'send-to-collector.mjs',
  ]);
});
