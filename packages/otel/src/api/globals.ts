import type { ContextManager, DiagLogger } from '@opentelemetry/api';

/** What a program registered with the API, of what is read here. */
interface ApiGlobals {
  readonly context?: ContextManager;
  readonly diag?: DiagLogger;
}

/**
 * Where every copy of the API 1.x in a process keeps what was registered with it. To read it from there takes a moment;
 * to load the package takes longer than all else that a program with an observer waits for at its start.
 */
const API_KEY = Symbol.for('opentelemetry.js.api.1');

const place = globalThis as { [API_KEY]?: ApiGlobals };

/** What is registered now; `undefined` as long as nothing was. */
export const apiGlobals = (): ApiGlobals | undefined => place[API_KEY];
