// A recording in, OTLP/JSON out: what `hermes-observer replay FILE --otlp-file OUT` does, in a few lines.
//
//   node examples/replay-to-file.mjs [RECORDING [OUT]]
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords } from '@hermes-observer/core';
import { LosslessSpanProcessor, ObserverTracerProvider, OtlpFileExporter, SpanBridge } from '@hermes-observer/otel';

const [
  recording = new URL('../packages/cli/demo/n-delegate-nested-sync.ndjson', import.meta.url),
  path = join(tmpdir(), 'spans.otlp.jsonl'),
] = process.argv.slice(2);

const processor = new LosslessSpanProcessor({ exporter: new OtlpFileExporter({ path }) });
const tracerProvider = new ObserverTracerProvider({ spanProcessors: [processor] });
const bridge = new SpanBridge({ tracerProvider, capture: 'none' });

for await (const records of readRecords(createReadStream(recording))) {
  for (const record of records) bridge.handleRecord(record);
  // A replay may wait for its output; a live agent never does.
  await processor.ready();
}
bridge.closeAll();
await tracerProvider.shutdown();
console.log(`${bridge.stats.records} records, ${processor.exportedSpans} spans in ${path}`);
