/**
 * Projects that compile with `strict` and `skipLibCheck: false`, one a framework: `frameworks` by the version that the tests run
 * with. `lowest` is the lowest one, where it is not the end of the adapter's tested range; `consumer` the file, where it is not named for
 * the adapter. `needs` is what the framework's own declarations need, beside `@types/node`, and do not bring.
 */
const ZOD = { zod: '4.6.7' };

export const PROJECTS = [
  {
    name: 'ai-sdk',
    frameworks: { ai: '7.0.173' },
    lowest: { ai: '7.0.0' },
    // `FileList`, `HeadersInit`, `RequestCredentials`; and the types of `json-schema`, which `@ai-sdk/provider` imports.
    needs: { lib: ['dom'], packages: { ...ZOD, '@types/json-schema': '7.0.15' } },
  },
  {
    name: 'ai-sdk',
    consumer: 'ai-sdk-6',
    frameworks: { ai: '6.0.326' },
    needs: { lib: ['dom'], packages: { ...ZOD, '@types/json-schema': '7.0.15' } },
    // The one that it depends on: there may be one API alone.
    besideLowest: { '@opentelemetry/api': '1.9.0' },
  },
  {
    name: 'openai-agents',
    frameworks: { '@openai/agents': '0.20.0' },
    // `RTCPeerConnection` and others of `@openai/agents-realtime`.
    needs: { lib: ['dom'], packages: ZOD },
  },
  {
    name: 'langchain',
    frameworks: { '@langchain/core': '1.4.0', '@langchain/langgraph': '1.7.3', langchain: '1.5.14' },
    needs: { lib: [], packages: ZOD },
    // Its first version is not content with a newer one.
    besideLowest: { '@langchain/langgraph-checkpoint': '1.0.0' },
  },
  {
    name: 'claude',
    frameworks: { '@anthropic-ai/claude-agent-sdk': '0.3.332' },
    // `HeadersInit` of `@modelcontextprotocol/sdk`.
    needs: { lib: ['dom'], packages: ZOD },
    // The program of some 400 MB that it starts.
    isWithoutOptional: true,
  },
  {
    name: 'clients',
    frameworks: { openai: '7.59.0', '@anthropic-ai/sdk': '1.14.0' },
    needs: { lib: [], packages: {} },
  },
];
