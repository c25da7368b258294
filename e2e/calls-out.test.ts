import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runNode } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'calls-out-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
}

const spansOf = (name: string): Span[] =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);

it('what an agent calls over HTTP, over MCP and as a child process is in its trace, below the tool that called', async () => {
  const { code, stdout, stderr } = await runNode(['examples/calls-out/agent.mjs', folder], {
    // That of this process's own caller is not handed on.
    env: { BAGGAGE: 'secret=1', TRACESTATE: 'other=1' },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // Each of them tells of the baggage that came to it.
  expect(stdout.split('\n')).toEqual([
    'weather sunny, tenant=acme',
    'tenant=acme',
    'research ended with 0',
    'book_table booked for 19:00, tenant=acme',
    '',
  ]);

  const agent = spansOf('agent');
  const find = (name: string) => agent.find((span) => span.name === name);
  expect(find('invoke_agent planner')?.parentSpanId).toBe('b7ad6b7169203331');
  for (const [file, name, tool] of [
    ['http-agent', 'invoke_agent weather-service', 'execute_tool weather'],
    ['mcp-agent', 'invoke_agent booking-service', 'execute_tool book_table'],
    ['child-agent', 'invoke_agent researcher', 'execute_tool research'],
  ] as const) {
    const span = spansOf(file).find((one) => one.name === name);
    expect(span).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: find(tool)?.spanId,
      traceState: 'vendor=1',
    });
  }
});
