/** The peers, with what they need beside themselves, each in one exact version. */
export const PEERS = {
  '@ai-sdk/otel': '1.0.173',
  '@arizeai/openinference-core': '2.7.1',
  '@braintrust/otel': '1.0.1',
  '@langfuse/otel': '5.11.1',
  '@langfuse/tracing': '5.11.1',
  '@microsoft/agents-a365-observability': '1.0.0',
  '@openai/agents-core': '0.20.0',
  '@traceloop/node-server-sdk': '0.27.0',
  langsmith: '0.12.0',
  'nemo-relay-node': '0.9.2',
};

const PLATFORM = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/core': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.0',
  '@opentelemetry/sdk-trace-base': '2.12.0',
  ai: '7.0.173',
  braintrust: '3.35.0',
  openai: '7.59.0',
};

export const DEPENDENCIES = { ...PLATFORM, ...PEERS };
