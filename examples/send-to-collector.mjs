// A recording in, OTLP over HTTP out: what `hermes-observer replay FILE --endpoint URL` does, in a few lines.
//
//   node examples/send-to-collector.mjs [ENDPOINT [RECORDING]]
//
// ENDPOINT is the base address of a Collector, Jaeger or any other OTLP/HTTP backend; by default that of
// OTEL_EXPORTER_OTLP_ENDPOINT, else http://localhost:4318. Headers, timeout and compression come from the usual variables.
// Exit code 1 when spans were lost.
import { createReadStream } from 'node:fs';
import { readRecords } from '@hermes-observer/core';
import { LosslessSpanProcessor, ObserverTracerProvider, OtlpHttpExporter, SpanBridge } from '@hermes-observer/otel';

const [
  endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318',
  recording = new URL('../packages/cli/demo/n-delegate-nested-sync.ndjson', import.meta.url),
] = process.argv.slice(2);

const exporter = new OtlpHttpExporter({
  url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
  // So a long recording does not wait for a dead backend with each of its batches.
  giveUpAfter: 3,
});
const processor = new LosslessSpanProcessor({ exporter });
const tracerProvider = new ObserverTracerProvider({ spanProcessors: [processor] });
const bridge = new SpanBridge({ tracerProvider });

for await (const records of readRecords(createReadStream(recording))) {
  for (const record of records) bridge.handleRecord(record);
  await processor.ready();
}
bridge.closeAll();
try {
  // However long it takes. Rejects when spans were lost, with the reason of the last.
  await processor.forceFlush();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
await tracerProvider.shutdown();
console.log(
  `${bridge.stats.records} records, ${exporter.writtenSpans} spans sent to ${exporter.name}, ${exporter.lostSpans} lost`,
);
