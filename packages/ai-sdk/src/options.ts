import type { AdapterHost, KnownOptions, Warn } from '@hermes-observer/adapter';
import type { FrameworkSpans } from './sdk/framework-spans.js';

/** How agents of the AI SDK are observed. All of it is optional. */
export interface AiSdkOptions {
  /** An `Observer`. @default the one of the process, made of the environment */
  readonly observer?: AdapterHost | undefined;
  /**
   * Key of the `runtimeContext` that has the session; the call must let it out:
   * `telemetry: { includeRuntimeContext: { sessionId: true } }`. @default 'sessionId'
   */
  readonly sessionKey?: string | undefined;
  /** Where the SDK makes spans of its own. @default 'warn' */
  readonly frameworkSpans?: FrameworkSpans | undefined;
  /** Told once of each thing the user should know. @default process.emitWarning */
  readonly onWarning?: Warn | undefined;
}

export const KNOWN_OPTIONS: KnownOptions<AiSdkOptions> = {
  sessionKey: 'string',
  frameworkSpans: ['warn', 'keep', 'yield'],
};
