// An agent behind MCP. Each call of a tool is a turn, below the span that its `_meta` names.
import { join } from 'node:path';
import { createObserver, OtlpFileExporter } from '@hermes-observer/otel';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const observer = createObserver({
  agentName: 'booking-service',
  exporters: [new OtlpFileExporter({ path: join(process.argv[2], 'mcp-agent.jsonl') })],
});

const server = new McpServer({ name: 'bookings', version: '1.0.0' });
server.registerTool(
  'book_table',
  { description: 'Books a table.', inputSchema: { at: z.string() } },
  ({ at }, { _meta }) => {
    const { traceparent, tracestate, baggage } = _meta ?? {};
    return observer.turn({ traceContext: { traceparent, tracestate, baggage } }, () => ({
      content: [{ type: 'text', text: `booked for ${at}, ${baggage}` }],
    }));
  },
);
await server.connect(new StdioServerTransport());
process.stdin.on('end', () => observer.shutdown());
