// An agent behind HTTP. Each request is a turn, below the span that its headers name.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createObserver, OtlpFileExporter } from '@hermes-observer/otel';

const observer = createObserver({
  agentName: 'weather-service',
  exporters: [new OtlpFileExporter({ path: join(process.argv[2], 'http-agent.jsonl') })],
});

const server = createServer(async ({ headers }, response) => {
  const { traceparent, tracestate, baggage } = headers;
  response.end(await observer.turn({ traceContext: { traceparent, tracestate, baggage } }, () => `sunny, ${baggage}`));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

process.stdin.resume().on('end', async () => {
  server.close();
  server.closeAllConnections();
  await observer.shutdown();
});
