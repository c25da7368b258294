// An agent that is started for one task. `TRACEPARENT` of its environment says whose task: its first turn is below that span.
import { join } from 'node:path';
import { createObserver, OtlpFileExporter } from '@hermes-observer/otel';

const observer = createObserver({
  agentName: 'researcher',
  exporters: [new OtlpFileExporter({ path: join(process.argv[2], 'child-agent.jsonl') })],
});
await observer.turn({}, (turn) => turn.tool({ name: 'read_file', args: {} }, () => console.log(process.env.BAGGAGE)));
await observer.shutdown();
