// What a span costs with ObserverTracerProvider and with the SDK's provider: start with 12 attributes, explicit times
// and a parent, 4 attributes more at the end, one processor that does nothing. Needs the build.
//   node --expose-gc bench/provider.mjs [rounds]
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider, NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ObserverTracerProvider } from '../packages/otel/dist/index.js';

const ROUNDS = Number(process.argv[2] ?? 41);
const SPANS_PER_ROUND = 20_000;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const parent = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: 'b7ad6b7169203331', traceFlags: 1 });
const spanIds = Array.from({ length: SPANS_PER_ROUND }, (_, i) => (i + 1).toString(16).padStart(16, '0'));

const spanProcessors = () => [new NoopSpanProcessor()];
const ours = new ObserverTracerProvider({ spanProcessors: spanProcessors() }).getTracer('bench');
const sdk = new BasicTracerProvider({ spanProcessors: spanProcessors() }).getTracer('bench');
const start = (tracer, options) => tracer.startSpan('execute_tool read_file', options, parent);
const contestants = {
  sdk: (i) => start(sdk, baseOptions(i)),
  'observer, ids and attributes given': (i) => {
    const options = baseOptions(i);
    options.ids = { traceId: TRACE_ID, spanId: spanIds[i % SPANS_PER_ROUND] };
    options.takeAttributes = true;
    return start(ours, options);
  },
  'observer, plain API': (i) => start(ours, baseOptions(i)),
};

function baseOptions(i) {
  return { kind: SpanKind.INTERNAL, startTime: [1_790_000_000, i], attributes: startAttributes(i) };
}

function startAttributes(i) {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.tool.name': 'read_file',
    'gen_ai.tool.call.id': spanIds[i % SPANS_PER_ROUND],
    'gen_ai.tool.type': 'function',
    'hermes.turn.id': 'turn-1',
    'hermes.task.id': 'task-1',
    'hermes.api.request_id': 'request-1',
    'hermes.platform': 'cli',
    'hermes.api.attempts': 1,
    'hermes.api.call_count': i,
    'hermes.incomplete': false,
  };
}

function finish(span, i) {
  span.setAttribute('hermes.tool.status', 'ok');
  span.setAttribute('hermes.tool.duration_ms', i);
  span.setAttribute('gen_ai.usage.input_tokens', i);
  span.setAttribute('gen_ai.response.finish_reasons', 'stop');
  span.end([1_790_000_001, i]);
}

/** Nanoseconds a span, with `open` spans open at any time. */
function round(startOne, open) {
  const held = new Array(open);
  for (let i = 0; i < open; i++) held[i] = startOne(i);
  const begin = process.hrtime.bigint();
  for (let i = 0; i < SPANS_PER_ROUND; i++) {
    const slot = i % open;
    finish(held[slot], i);
    held[slot] = startOne(i);
  }
  const nanos = Number(process.hrtime.bigint() - begin) / SPANS_PER_ROUND;
  for (const span of held) span.end([1_790_000_002, 0]);
  return nanos;
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

console.log(`node ${process.version}; median ns a span of ${ROUNDS} interleaved rounds of ${SPANS_PER_ROUND} spans`);
const names = Object.keys(contestants);
for (const name of names) for (let i = 0; i < 5; i++) round(contestants[name], 100);
for (const open of [1, 100, 10_000]) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let i = 0; i < ROUNDS; i++) for (const name of names) samples[name].push(round(contestants[name], open));
  const medians = names.map((name) => median(samples[name]));
  names.forEach((name, i) => {
    const ratio = (medians[i] / medians[0]).toFixed(2);
    console.log(
      `${String(open).padStart(6)} open  ${name.padEnd(36)} ${medians[i].toFixed(0).padStart(6)} ns  x${ratio}`,
    );
  });
}

if (globalThis.gc)
  for (const name of names) console.log(`${name.padEnd(36)} ${heapPerSpan(name)} B of heap per open span`);

function heapPerSpan(name) {
  const held = new Array(50_000);
  const before = heapUsed();
  for (let i = 0; i < held.length; i++) held[i] = contestants[name](i);
  const bytes = (heapUsed() - before) / held.length;
  for (const span of held) span.end([1_790_000_002, 0]);
  return bytes.toFixed(0);
}

function heapUsed() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
