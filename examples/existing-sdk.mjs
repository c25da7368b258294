// Observation of an agent in an app that runs the OpenTelemetry NodeSDK already: nothing of the app's set-up changes.
//
//   npm install @opentelemetry/api @opentelemetry/sdk-node
//   node existing-sdk.mjs
//
// in an app that has @hermes-observer/core and @hermes-observer/otel. It runs with sdk-node 0.223 (SDK 2.x, API 1.9) and
// with 0.301 (SDK 3.x, API 1.10, Node.js 22.15 or newer). The workspace does without sdk-node, which is large: what runs
// this are apps that install it, in `npm run e2e:compat`. Prints the trace as a tree.
import { createObserver } from '@hermes-observer/otel';
import { trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';

// What the app has. A real one names no exporter, or one for OTLP; this one prints.
const sdk = new NodeSDK({ serviceName: 'trip-planner', traceExporter: treePrinter() });
sdk.start();
const tracer = trace.getTracer('trip-planner');

// What is added. Spans get the app's ids, resource, sampler and exporters.
const observer = createObserver({ agentName: 'planner', tracerProvider: trace.getTracerProvider() });

async function fetchForecast(city) {
  // Any span of the app or of an instrumentation of its libraries: it belongs to what it runs in.
  return tracer.startActiveSpan('GET /forecast', async (span) => {
    span.setAttribute('app.city', city);
    await new Promise((resolve) => setTimeout(resolve, 5));
    span.end();
    return `${city}: sunny`;
  });
}

const answer = await tracer.startActiveSpan('POST /chat', async (request) => {
  const text = await observer.turn({ sessionId: 'chat-1', userMessage: 'Rome today?' }, (turn) =>
    turn.tool({ name: 'weather', args: { city: 'Rome' } }, ({ city }) => fetchForecast(city)),
  );
  request.end();
  return text;
});
console.log(answer);

// First what is still open is ended, then the app's SDK exports it.
await observer.shutdown();
await sdk.shutdown();

/** Stands in for the exporter that the app has. */
function treePrinter() {
  const ended = [];
  const print = (parentId, indent) => {
    for (const span of ended) {
      if (span.parentSpanContext?.spanId !== parentId) continue;
      console.log(`${indent}${span.name} (${span.resource.attributes['service.name']})`);
      print(span.spanContext().spanId, `${indent}  `);
    }
  };
  return {
    export(spans, done) {
      ended.push(...spans);
      done({ code: 0 });
    },
    async forceFlush() {},
    async shutdown() {
      print(undefined, '');
    },
  };
}
