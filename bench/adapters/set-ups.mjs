// How each product sets itself up, as its documentation says, with batches and its own exporter to a backend at `url`.
// All record prompts, answers, arguments and results: with peers that is the default.
import { createObserver } from '@hermes-observer/otel';

/** What being told costs, whoever is: the framework's own extension points, as ours uses them, and nothing done there. */
export const EMPTY = 'a listener that does nothing';

/** Ours. `capture`: how much content spans carry. */
export function ours(url, capture = 'full') {
  const observer = createObserver({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url }, agentName: 'bench', capture });
  return { observer, flush: () => observer.flush() };
}

/** A provider of the OpenTelemetry SDK, as the global one. */
async function register(load, processor) {
  const { NodeTracerProvider } = await load('@opentelemetry/sdk-trace-node');
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  provider.register();
  return { provider, flush: () => processor.forceFlush() };
}

async function otlpExporter(load, url) {
  const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url: `${url}/v1/traces` });
}

/** The OpenTelemetry SDK, for adapters that leave batches and export to it. */
export async function openTelemetry(load, url) {
  const { BatchSpanProcessor } = await load('@opentelemetry/sdk-trace-node');
  return register(load, new BatchSpanProcessor(await otlpExporter(load, url)));
}

/** OpenInference for the AI SDK: a processor that translates. */
export async function openInferenceProcessor(load, url) {
  const { OpenInferenceBatchSpanProcessor } = await load('@arizeai/openinference-vercel');
  return register(load, new OpenInferenceBatchSpanProcessor({ exporter: await otlpExporter(load, url) }));
}

/** `options`: for spans of adapters that are not its own. */
export async function langfuse(load, url, options) {
  const { LangfuseSpanProcessor } = await load('@langfuse/otel');
  return register(load, new LangfuseSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: url, ...options }));
}

/** OpenLLMetry by its own SDK. What it asks its service for beside tracing is off: no such service is here. */
export async function openLlmetry(load, url, instrumentModules) {
  const traceloop = await load('@traceloop/node-server-sdk');
  traceloop.initialize({
    appName: 'bench',
    apiKey: 'none',
    baseUrl: url,
    traceloopSyncEnabled: false,
    silenceInitializationMessage: true,
    instrumentModules,
  });
  return { traceloop, flush: () => traceloop.forceFlush() };
}
