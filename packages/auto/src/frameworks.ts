/** What an adapter exports, by name. */
export type Adapter = Readonly<Record<string, ((...given: readonly unknown[]) => unknown) | undefined>>;

/** A framework's module whose loading says that the program uses it, and what observes it then. */
export interface Framework {
  /** Name of the adapter: `@hermes-observer/<adapter>`. */
  readonly adapter: string;
  /** Package that is looked for. */
  readonly package: string;
  /** Name that the adapter's tested range stands under. @default `package` */
  readonly peer?: string;
  /** Files of the package, from its root, that no program gets around; as ES module and as CommonJS. */
  readonly files: readonly string[];
  /** Observes what this copy of the file exports. */
  readonly instrument?: (adapter: Adapter, namespace: unknown) => unknown;
  /** The adapter needs no module, so one that is bundled into the program can be observed, too. */
  readonly needsNoModule?: true;
  /** Exported functions that the program gets others for. */
  readonly replaces?: {
    readonly names: readonly string[];
    readonly by: (adapter: Adapter, name: string, original: unknown) => unknown;
  };
}

/** @throws TypeError where the adapter has no such function: it is of another release. */
function call(adapter: Adapter, name: string, ...given: readonly unknown[]): unknown {
  const called = adapter[name];
  if (called === undefined) throw new TypeError(`its adapter has no ${name}`);
  return called(...given);
}

export const FRAMEWORKS: readonly Framework[] = [
  {
    adapter: 'ai-sdk',
    package: 'ai',
    files: ['/dist/index.js', '/dist/index.mjs'],
    instrument: (adapter) => call(adapter, 'instrumentAiSdk'),
    needsNoModule: true,
  },
  {
    adapter: 'openai-agents',
    package: '@openai/agents-core',
    peer: '@openai/agents',
    files: ['/dist/index.mjs', '/dist/index.js'],
    instrument: (adapter, agents) => call(adapter, 'instrumentOpenAIAgents', { agents }),
  },
  {
    adapter: 'langchain',
    package: '@langchain/core',
    files: ['/dist/callbacks/manager.js', '/dist/callbacks/manager.cjs'],
    instrument: (adapter) => call(adapter, 'instrumentLangChain'),
    needsNoModule: true,
  },
  {
    adapter: 'claude',
    package: '@anthropic-ai/claude-agent-sdk',
    files: ['/sdk.mjs'],
    replaces: {
      names: ['query', 'startup'],
      by: (adapter, name, original) =>
        (call(adapter, 'instrumentClaude', { [name]: original }) as Record<string, unknown>)[name],
    },
  },
  {
    adapter: 'clients',
    package: 'openai',
    files: ['/client.mjs', '/client.js'],
    instrument: (adapter, module) => call(adapter, 'instrumentOpenAI', { module }),
  },
  {
    adapter: 'clients',
    package: '@anthropic-ai/sdk',
    files: ['/client.mjs', '/client.js'],
    instrument: (adapter, module) => call(adapter, 'instrumentAnthropic', { module }),
  },
];

export const ADAPTERS: readonly string[] = [...new Set(FRAMEWORKS.map(({ adapter }) => adapter))];
