// Ends a span, then many in one tick, and waits until they are gone, in a process of its own whose memory is watched. Says one line
// of JSON. `hold` keeps it there afterwards, until it is killed.
//
// node --expose-gc e2e/pipeline/producer.mjs '{"kind":"ours","url":"http://…","from":0,"spans":50000}'
import { setTimeout as sleep } from 'node:timers/promises';
import { createObserver, ObserverTracerProvider } from '@hermes-observer/otel';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const { kind, url, from = 0, spans, textBytes = 600, spool, hold = false, queue } = JSON.parse(process.argv[2]);
const MIB = 2 ** 20;

/** `tracer`, and what ends it all. */
function contestant() {
  if (kind === 'stock') {
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
    const options = queue === undefined ? {} : { maxQueueSize: queue };
    const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter, options)] });
    return {
      tracer: provider.getTracer('pipeline'),
      async end() {
        await provider.forceFlush().catch(() => {});
        await provider.shutdown().catch(() => {});
      },
      counts: () => ({}),
    };
  }
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const warnings = [];
  const observer = createObserver({
    global: true,
    timeoutMillis: 120_000,
    env,
    onWarning: (text) => warnings.push(text),
    ...(spool === undefined ? {} : { spool: { folder: spool } }),
  });
  if (!(trace.getTracerProvider().getDelegate?.() instanceof ObserverTracerProvider)) throw new Error('not global');
  return {
    tracer: trace.getTracer('pipeline'),
    end: () => (hold ? observer.flush() : observer.shutdown()),
    counts: () => ({ ...observer.counts, warnings }),
  };
}

const filler = 'The quick brown fox jumps over the lazy dog. '.repeat(Math.ceil(textBytes / 45));
/** A text of its own for each span: one that all share would take no memory. */
const textOf = (i) => Buffer.from(`${i} ${filler}`).toString('latin1', 0, textBytes);

function endSpans(tracer) {
  for (let i = from; i < from + spans; i++) {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read_file',
      'gen_ai.tool.call.id': `call-${i}`,
      'gen_ai.tool.type': 'function',
      'hermes.turn.id': `turn-${i >> 5}`,
      'hermes.api.call_count': i,
      'gen_ai.tool.call.result': textOf(i),
    };
    tracer.startSpan(`span ${i}`, { attributes }).end();
  }
}

const { tracer, end, counts } = contestant();
// One before, so that everything is loaded.
tracer.startSpan(`span ${from - 0.5}`).end();
globalThis.gc();
const base = process.memoryUsage();
const peak = { heap: 0, rss: 0 };
function look() {
  const { heapUsed, external, rss } = process.memoryUsage();
  peak.heap = Math.max(peak.heap, heapUsed + external - base.heapUsed - base.external);
  peak.rss = Math.max(peak.rss, rss - base.rss);
}
const watch = setInterval(look, 10);
const began = performance.now();
endSpans(tracer);
const burstMillis = performance.now() - began;
// What is alive, not what is yet to be collected.
globalThis.gc();
look();
const aliveBytes = peak.heap;
await end();
clearInterval(watch);
const result = {
  burstMillis: Math.round(burstMillis),
  seconds: Math.round((performance.now() - began) / 100) / 10,
  aliveMiB: Math.round(aliveBytes / MIB),
  heapMiB: Math.round(peak.heap / MIB),
  rssMiB: Math.round(peak.rss / MIB),
  counts: counts(),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
if (hold) await sleep(600_000);
