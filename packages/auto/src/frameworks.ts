/** What an adapter exports, by name. */
export type Adapter = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** A framework's module whose loading says that the program uses it, and what observes it then. */
export interface Framework {
  /** Name of the adapter: `@hermes-observer/<adapter>`. */
  readonly adapter: string;
  /** Package that is looked for. */
  readonly package: string;
  /** Name that the adapter's peer range stands under. @default `package` */
  readonly peer?: string;
  /** Files of the package, from its root, that no program gets around; as ES module and as CommonJS. */
  readonly files: readonly string[];
  /** Observes what this copy of the file exports. */
  readonly instrument?: (adapter: Adapter, namespace: unknown) => unknown;
  /** The adapter needs no module, so one that is bundled into the program can be observed, too. */
  readonly needsNoModule?: true;
  /** An exported function that the program gets another one for. */
  readonly replaces?: { readonly name: string; readonly by: (adapter: Adapter, original: unknown) => unknown };
}

export const FRAMEWORKS: readonly Framework[] = [
  {
    adapter: 'ai-sdk',
    package: 'ai',
    files: ['/dist/index.js', '/dist/index.mjs'],
    instrument: (adapter) => adapter.instrumentAiSdk?.(),
    needsNoModule: true,
  },
];

export const ADAPTERS: readonly string[] = [...new Set(FRAMEWORKS.map(({ adapter }) => adapter))];
