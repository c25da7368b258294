import type { AdapterHost, KnownOptions, Warn } from '@hermes-observer/adapter';
import type { FrameworkSpans } from './sdk/own-spans.js';

/** How agents of the Claude Agent SDK are observed. All of it is optional. */
export interface ClaudeOptions {
  /** An `Observer`. @default the one of the process, made of the environment */
  readonly observer?: AdapterHost | undefined;
  /**
   * Has Claude Code tell of the parts of each answer as well, which only these give the true tokens and the time to the first
   * one of. The program does not get to see them, unless its options have `includePartialMessages`. @default true
   */
  readonly partialMessages?: boolean | undefined;
  /**
   * Gives the process of Claude Code the span that `query` was called in as its caller (`TRACEPARENT`), and so the commands it
   * runs, and spans it makes itself. @default false
   */
  readonly traceContext?: boolean | undefined;
  /** Where Claude Code makes spans of its own. @default 'warn' */
  readonly frameworkSpans?: FrameworkSpans | undefined;
  /** Told once of each thing the user should know. @default process.emitWarning */
  readonly onWarning?: Warn | undefined;
}

export const KNOWN_OPTIONS: KnownOptions<ClaudeOptions> = {
  partialMessages: 'boolean',
  traceContext: 'boolean',
  frameworkSpans: ['warn', 'keep', 'yield'],
};
