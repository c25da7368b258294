// An agent whose tools call others: an HTTP service, a child process and an MCP server. All are agents of their own, in processes of
// their own, and write their spans to files of their own; together these are one trace.
//
//   node examples/calls-out/agent.mjs FOLDER
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createObserver, OtlpFileExporter, traceEnvironment } from '@hermes-observer/otel';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [folder = '.'] = process.argv.slice(2);
const program = (name) => fileURLToPath(new URL(name, import.meta.url));

const observer = createObserver({
  agentName: 'planner',
  baggage: ['tenant'], // of the baggage that came in, this alone goes on
  exporters: [new OtlpFileExporter({ path: join(folder, 'agent.jsonl') })],
});

const service = spawn(process.execPath, [program('http-agent.mjs'), folder], { stdio: ['pipe', 'pipe', 'inherit'] });
const [port] = await once(service.stdout.setEncoding('utf8'), 'data');

const server = new Client({ name: 'planner', version: '1.0.0' });
await server.connect(
  new StdioClientTransport({ command: process.execPath, args: [program('mcp-agent.mjs'), folder], stderr: 'inherit' }),
);

const tools = {
  async weather() {
    const answer = await fetch(`http://127.0.0.1:${port.trim()}/`, { headers: { ...observer.traceContext() } });
    return answer.text();
  },
  async research() {
    const env = { ...process.env, ...traceEnvironment(observer.traceContext()) };
    const child = spawn(process.execPath, [program('child-agent.mjs'), folder], { env, stdio: 'inherit' });
    return `ended with ${(await once(child, 'exit'))[0]}`;
  },
  async book_table() {
    const { content } = await server.callTool({
      name: 'book_table',
      arguments: { at: '19:00' },
      _meta: { ...observer.traceContext() },
    });
    return content[0].text;
  },
};

// What came in with a request to this agent.
const traceContext = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
  baggage: 'tenant=acme,user=ada',
};
await observer.turn({ sessionId: 'chat-1', traceContext }, async (turn) => {
  for (const [name, tool] of Object.entries(tools)) console.log(name, await turn.tool({ name, args: {} }, tool));
});

await server.close();
service.stdin.end();
await once(service, 'exit');
await observer.shutdown();
