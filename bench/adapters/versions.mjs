/** The frameworks, each in the version whose adapters are measured. */
export const FRAMEWORKS = {
  '@anthropic-ai/sdk': '1.14.0',
  '@langchain/core': '1.4.0',
  '@langchain/langgraph': '1.7.3',
  '@openai/agents': '0.20.0',
  ai: '7.0.173',
  langchain: '1.5.14',
  openai: '7.59.0',
  zod: '4.6.7',
};

/** The peers' adapters, and what they need beside themselves. */
export const PEERS = {
  '@ai-sdk/otel': '1.0.173',
  '@arizeai/openinference-instrumentation-anthropic': '0.2.8',
  '@arizeai/openinference-instrumentation-langchain': '4.1.1',
  '@arizeai/openinference-instrumentation-openai': '4.2.7',
  '@arizeai/openinference-instrumentation-openai-agents': '0.2.15',
  '@arizeai/openinference-vercel': '3.2.1',
  '@langfuse/langchain': '5.11.1',
  '@langfuse/openai': '5.11.1',
  '@langfuse/otel': '5.11.1',
  '@langfuse/tracing': '5.11.1',
  '@langfuse/vercel-ai-sdk': '5.11.1',
  '@traceloop/instrumentation-anthropic': '0.27.0',
  '@traceloop/instrumentation-langchain': '0.27.0',
  '@traceloop/instrumentation-openai': '0.27.0',
  '@traceloop/node-server-sdk': '0.27.0',
};

const PLATFORM = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/core': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.0',
  '@opentelemetry/instrumentation': '0.223.0',
  '@opentelemetry/sdk-trace-base': '2.12.0',
  '@opentelemetry/sdk-trace-node': '2.12.0',
};

export const DEPENDENCIES = { ...FRAMEWORKS, ...PLATFORM, ...PEERS };
