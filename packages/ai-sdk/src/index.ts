export { type SessionInfo, withSession } from '@hermes-observer/adapter';
export { instrumentAiSdk } from './instrument.js';
export { type ObserverMiddleware, observerMiddleware } from './middleware.js';
export type { AiSdkOptions } from './options.js';
export type { FrameworkSpans } from './sdk/framework-spans.js';
