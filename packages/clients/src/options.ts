import type { AdapterHost, KnownOptions, Warn } from '@hermes-observer/adapter';

/**
 * What to do where a client makes spans of its own: `warn` makes ours too and says once that each request now counts
 * twice; `keep` makes both without a word; `yield` makes none of ours.
 */
export type FrameworkSpans = 'warn' | 'keep' | 'yield';

/** How clients are observed. All of it is optional. */
export interface ClientsOptions {
  /** An `Observer`. @default the one of the process, made of the environment */
  readonly observer?: AdapterHost | undefined;
  /** Where a client makes spans of its own. @default 'warn' */
  readonly frameworkSpans?: FrameworkSpans | undefined;
  /** Told once of each thing the user should know. @default process.emitWarning */
  readonly onWarning?: Warn | undefined;
}

export const KNOWN_OPTIONS: KnownOptions<ClientsOptions> = { frameworkSpans: ['warn', 'keep', 'yield'] };
