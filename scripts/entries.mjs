/** The entries of the library packages, as their `exports` name them: files in `src`, without the extension. */
export const ENTRIES = {
  core: ['index', 'schema', 'segments', 'testing'],
  otel: ['index', 'spool'],
  policy: ['index', 'config'],
  profiles: ['index'],
  signals: ['index'],
  cost: ['index', 'semconv'],
  relay: ['index'],
  adapter: ['index', 'versions'],
  'ai-sdk': ['index', 'register'],
  'openai-agents': ['index', 'register'],
  langchain: ['index', 'register'],
  claude: ['index'],
  clients: ['index', 'register'],
  auto: ['index', 'loader', 'observe', 'send'],
};

/** Those that are there for our own command. Their types are published without comments. */
export const UNDOCUMENTED = {
  core: [],
  otel: ['spool'],
  policy: [],
  profiles: [],
  signals: [],
  cost: [],
  relay: [],
  adapter: ['versions'],
  'ai-sdk': [],
  'openai-agents': [],
  langchain: [],
  claude: [],
  clients: [],
  auto: ['loader', 'observe', 'send'],
};
