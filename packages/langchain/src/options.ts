import type { AdapterHost, KnownOptions, Warn } from '@hermes-observer/adapter';
import type { FrameworkSpans } from './framework/framework-spans.js';

/** How agents of LangChain and LangGraph are observed. All of it is optional. */
export interface LangChainOptions {
  /** An `Observer`. @default the one of the process, made of the environment */
  readonly observer?: AdapterHost | undefined;
  /** Key of a run's `metadata` that has the session; where it is absent, `thread_id` counts. @default 'session_id' */
  readonly sessionKey?: string | undefined;
  /** Where others make OpenTelemetry spans of the same runs. @default 'warn' */
  readonly frameworkSpans?: FrameworkSpans | undefined;
  /** Told once of each thing the user should know. @default process.emitWarning */
  readonly onWarning?: Warn | undefined;
}

export const KNOWN_OPTIONS: KnownOptions<LangChainOptions> = {
  sessionKey: 'string',
  frameworkSpans: ['warn', 'keep', 'yield'],
};
