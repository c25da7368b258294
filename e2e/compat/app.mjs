// Runs inside an app of its own: `node app.mjs SDK_PACKAGE RECORDING`. The packed packages observe an agent there, once
// through the app's own provider and once through ours, and both must show the same tree.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { HookMeta, parseUnixNano, readRecords } from '@hermes-observer/core';
import { createObserver, ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';

const [, , sdkPackage, recording] = process.argv;
const sdk = await import(sdkPackage);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** A provider of the SDK at hand: 3.x took options objects where 2.x had positions. */
function sdkProvider(exporter) {
  if (sdk.TracerProvider !== undefined) {
    return new sdk.TracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor({ exporter })] });
  }
  return new sdk.BasicTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] });
}

const records = [];
for await (const batch of readRecords(createReadStream(recording))) records.push(...batch);

/** Names of spans with those of their ancestors, and what they say: the same whatever ids a provider gives. */
function tree(spans) {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const path = (span) => {
    const parent = byId.get(span.parentSpanContext?.spanId);
    return parent === undefined ? span.name : `${path(parent)} > ${span.name}`;
  };
  return spans
    .map((span) =>
      JSON.stringify([path(span), span.startTime, span.endTime, span.status.code, span.links.length, span.attributes]),
    )
    .sort();
}

const injected = new sdk.InMemorySpanExporter();
const observer = createObserver({ tracerProvider: sdkProvider(injected), env: {} });
for (const { hook, time_unix_nano, producer, seq, payload } of records) {
  observer.hub.emit(hook, payload, { time: parseUnixNano(time_unix_nano), producer, seq });
}
const ended = [];
const ours = new SpanBridge({
  tracerProvider: new ObserverTracerProvider({
    spanProcessors: [
      { onStart() {}, onEnd: (span) => ended.push(span), forceFlush: async () => {}, shutdown: async () => {} },
    ],
  }),
});
for (const { hook, time_unix_nano, producer, seq, payload } of records) {
  ours.handle(payload, new HookMeta(hook, parseUnixNano(time_unix_nano), producer, seq));
}
ours.closeAll();
const spans = injected.getFinishedSpans().slice();
await observer.shutdown();
assert.ok(ended.length > 5, `${ended.length} spans`);
assert.deepEqual(tree(spans.length === ended.length ? spans : injected.getFinishedSpans()), tree(ended));

// In process: the app's own span nests under the tool, and the tool's span is the active one.
const exporter = new sdk.InMemorySpanExporter();
const provider = sdkProvider(exporter);
const live = createObserver({ tracerProvider: provider, env: {} });
const value = await live.turn({ sessionId: 's', model: 'm' }, (turn) =>
  turn.tool({ name: 'lookup', args: { q: 1 } }, async () => {
    trace.getActiveSpan()?.setAttribute('app.note', 'seen');
    provider.getTracer('app').startSpan('GET /q').end();
    return 42;
  }),
);
assert.equal(value, 42);
const [inner, tool, turn] = exporter.getFinishedSpans();
assert.deepEqual([inner.name, tool.name, turn.name], ['GET /q', 'execute_tool lookup', 'invoke_agent hermes']);
assert.equal(inner.parentSpanContext.spanId, tool.spanContext().spanId);
assert.equal(tool.attributes['app.note'], 'seen');
await live.shutdown();

// Our own provider, with this SDK line's OTLP exporter behind it, and with what sends when nothing is said.
const bodies = [];
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    bodies.push([request.headers['content-type'], Buffer.concat(chunks).toString('latin1')]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${server.address().port}`;
const url = `${endpoint}/v1/traces`;
for (const options of [
  { exporters: [new OTLPTraceExporter({ url })], env: {} },
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } },
]) {
  const own = createObserver(options);
  await own.turn({ sessionId: 's' }, async () => 'done');
  await own.shutdown();
}
assert.deepEqual(
  bodies.map(([type]) => type),
  ['application/json', 'application/x-protobuf'],
);
for (const [, body] of bodies) assert.match(body, /invoke_agent hermes/);
server.close();
console.log(`ok ${ended.length} spans`);
