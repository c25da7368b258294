// An exporter of your own: it prints one line a turn, with its requests, tools and tokens.
//
//   node examples/custom-exporter.mjs [RECORDING]
//
// Any standard SpanExporter will do. Spans come in batches, children before the turn they belong to.
import { createReadStream } from 'node:fs';
import { readRecords } from '@hermes-observer/core';
import { createObserver } from '@hermes-observer/otel';

/** @implements {import('@opentelemetry/sdk-trace-base').SpanExporter} */
class TurnSummary {
  /** What came of each trace so far. @type {Map<string, { requests: number, tools: number, tokens: number }>} */
  #traces = new Map();

  export(spans, done) {
    for (const span of spans) {
      const { traceId } = span.spanContext();
      const sums = this.#traces.get(traceId) ?? { requests: 0, tools: 0, tokens: 0 };
      this.#traces.set(traceId, sums);
      const operation = span.attributes['gen_ai.operation.name'];
      if (operation === 'chat') sums.requests++;
      if (operation === 'execute_tool') sums.tools++;
      sums.tokens += span.attributes['gen_ai.usage.input_tokens'] ?? 0;
      sums.tokens += span.attributes['gen_ai.usage.output_tokens'] ?? 0;
      if (span.parentSpanContext === undefined) {
        const outcome = span.attributes['hermes.turn.outcome'] ?? 'no turn';
        console.log(`${outcome}: ${sums.requests} requests, ${sums.tools} tools, ${sums.tokens} tokens`);
        this.#traces.delete(traceId);
      }
    }
    done({ code: 0 });
  }

  async forceFlush() {}
  async shutdown() {}
}

const recording = process.argv[2] ?? new URL('../packages/cli/demo/c-parallel-tools.ndjson', import.meta.url);
const observer = createObserver({ exporters: [new TurnSummary()] });
for await (const records of readRecords(createReadStream(recording))) {
  for (const { hook, payload, ...meta } of records) {
    observer.hub.emit(hook, payload, { timeUnixNano: meta.time_unix_nano, producer: meta.producer, seq: meta.seq });
  }
}
await observer.shutdown();
