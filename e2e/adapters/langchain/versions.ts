/** The lowest versions that are supported, and what a program of that time has beside them. */
export const LOWEST = {
  '@langchain/core': '1.0.3',
  '@langchain/langgraph': '1.0.0',
  // The newest one that fits by its range wants a newer core.
  '@langchain/langgraph-checkpoint': '1.0.0',
  // Before, a call that a person rejects ends the agent.
  langchain: '1.0.3',
  zod: '4.6.7',
} as const;

/** Models of OpenAI, in the versions that go with the lowest and the newest one. */
export const WITH_OPENAI = {
  lowest: { ...LOWEST, '@langchain/openai': '1.0.0' },
  newest: { '@langchain/core': '1.4.0', '@langchain/openai': '1.6.0' },
} as const;

/** Others that make spans of LangChain's runs. */
export const OTHERS = {
  '@langchain/core': '1.4.0',
  '@arizeai/openinference-instrumentation-langchain': '4.1.1',
  '@traceloop/instrumentation-langchain': '0.27.0',
  '@langfuse/langchain': '5.11.1',
  '@opentelemetry/api': '1.9.1',
} as const;
