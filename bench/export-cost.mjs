// What a span costs from its start until a local sink, a process of its own, has answered for it: with our provider,
// batches and exporter, and with the stock SDK's, at equal settings.
//
// node --expose-gc bench/export-cost.mjs [rounds]
import { fileURLToPath } from 'node:url';
import { BatchingSpanProcessor, ObserverTracerProvider, OtlpHttpExporter } from '@hermes-observer/otel';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { ProtobufTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { startByteSink } from './byte-sink.mjs';
import { quantiles } from './interleave.mjs';

/** What the stock queue of 2,048 takes in four batches, so that neither has to drop or to wait. */
const SPANS = 2_048;
const BATCHES = { maxQueueSize: SPANS, maxExportBatchSize: 512, scheduledDelayMillis: 60_000 };
const OWN_BATCHES = { maxQueueSize: SPANS, maxBatchSize: 512, delayMillis: 60_000 };
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: 'b7ad6b7169203331', traceFlags: 1 });

/** As `OTLPTraceExporter` of `@opentelemetry/exporter-trace-otlp-proto` is made, which is no more than this. */
function stockProtobuf(url) {
  const options = convertLegacyHttpOptions({ url }, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/x-protobuf',
  });
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      options,
      ProtobufTraceSerializer,
      'otlp_http_span_exporter',
      TraceExporterMetricsHelper,
    ),
  );
}

const stock = (exporter) => new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter, BATCHES)] });
const ours = (url, protocol) =>
  new ObserverTracerProvider({
    spanProcessors: [new BatchingSpanProcessor(new OtlpHttpExporter({ url, protocol, env: {} }), OWN_BATCHES)],
  });

const contestants = (url) => [
  { name: 'stock, JSON', provider: stock(new OTLPTraceExporter({ url })) },
  { name: 'ours, JSON', provider: ours(url, 'http/json') },
  { name: 'stock, protobuf', provider: stock(stockProtobuf(url)) },
  { name: 'ours, protobuf', provider: ours(url, 'http/protobuf') },
];

/** The attributes of a tool call, as they stand on it without content. */
function attributesOf(i) {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.tool.name': 'read_file',
    'gen_ai.tool.call.id': `call_${i}`,
    'gen_ai.tool.type': 'function',
    'hermes.turn.id': `turn-${i >> 4}`,
    'hermes.task.id': 'task-1',
    'hermes.api.request_id': `request-${i >> 2}`,
    'hermes.platform': 'cli',
    'hermes.tool.status': 'ok',
    'hermes.tool.duration_ms': i,
    'hermes.incomplete': false,
  };
}

/** Microseconds a span: until the sink has answered for the last one, and of this process's processor. */
async function round({ provider }) {
  const tracer = provider.getTracer('bench');
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  for (let i = 0; i < SPANS; i++) {
    const options = { kind: SpanKind.INTERNAL, startTime: [1_790_000_000, i], attributes: attributesOf(i) };
    tracer.startSpan('execute_tool read_file', options, PARENT).end([1_790_000_001, i]);
    // As spans end in a program: not all in one tick.
    if (i % 128 === 127) await new Promise((resolve) => setImmediate(resolve));
  }
  await provider.forceFlush();
  const wall = Number(process.hrtime.bigint() - began) / 1000 / SPANS;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / SPANS };
}

/** A flush of the stock processor does not wait for an export that is under way. */
async function arrived(sink) {
  let spans = 0;
  for (let tries = 0; spans < SPANS && tries < 200; tries++) {
    spans += (await sink.take()).spans;
    if (spans < SPANS) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return spans;
}

/** Rows of microseconds a span; `ratio` is to the stock one of the same encoding. */
export async function exportCost({ rounds }) {
  const sink = await startByteSink();
  try {
    const all = contestants(`${sink.url}/v1/traces`);
    const samples = new Map(all.map(({ name }) => [name, { wall: [], cpu: [] }]));
    for (let i = -Math.ceil(rounds / 4); i < rounds; i++) {
      for (const one of [...all].sort(() => Math.random() - 0.5)) {
        const { wall, cpu } = await round(one);
        const spans = await arrived(sink);
        if (spans !== SPANS) throw new Error(`${one.name}: ${spans} of ${SPANS} spans arrived`);
        if (i < 0) continue;
        samples.get(one.name).wall.push(wall);
        samples.get(one.name).cpu.push(cpu);
      }
    }
    await Promise.all(all.map(({ provider }) => provider.shutdown()));
    const figures = (name) => ({ wall: quantiles(samples.get(name).wall), cpu: quantiles(samples.get(name).cpu) });
    return all.map(({ name }) => {
      const [own, base] = [figures(name), figures(name.replace('ours', 'stock'))];
      return {
        name,
        wallMicros: own.wall.median,
        wallP90: own.wall.p90,
        wallRatio: own.wall.median / base.wall.median,
        cpuMicros: own.cpu.median,
        cpuRatio: own.cpu.median / base.cpu.median,
      };
    });
  } finally {
    sink.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.table(await exportCost({ rounds: Number(process.argv[2] ?? 60) }));
}
