import { type AdapterHost, fieldsOf, type KnownOptions, type Warn } from '@hermes-observer/adapter';

/**
 * What to do where the client of a model makes spans of its own: `warn` makes ours too and says once that each request now
 * counts twice; `keep` makes both, theirs below ours, without a word; `yield` leaves requests of such models to them.
 */
export type FrameworkSpans = 'warn' | 'keep' | 'yield';

/** What is needed of `@openai/agents`: its `Runner`. `import * as agents from '@openai/agents'` is one. */
export interface OpenAIAgentsModule {
  readonly Runner: { readonly prototype: object };
}

/** How agents of the OpenAI Agents SDK are observed. All of it is optional. */
export interface OpenAIAgentsOptions {
  /** The program's own copy of the SDK. @default each copy that is loaded later */
  readonly agents?: OpenAIAgentsModule | undefined;
  /** An `Observer`. @default the one of the process, made of the environment */
  readonly observer?: AdapterHost | undefined;
  /** Where clients of models make spans of their own. @default 'warn' */
  readonly frameworkSpans?: FrameworkSpans | undefined;
  /** Told once of each thing the user should know. @default process.emitWarning */
  readonly onWarning?: Warn | undefined;
}

const hasRunner = (agents: unknown): boolean => {
  const { Runner } = fieldsOf(agents);
  return typeof Runner === 'function' && typeof Runner.prototype === 'object' && Runner.prototype !== null;
};

export const KNOWN_OPTIONS: KnownOptions<OpenAIAgentsOptions> = {
  agents: { is: hasRunner, must: "have a Runner: pass what import * as agents from '@openai/agents' gives" },
  frameworkSpans: ['warn', 'keep', 'yield'],
};
