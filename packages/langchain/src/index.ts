export { type SessionInfo, withSession } from '@hermes-observer/adapter';
export type { FrameworkSpans } from './framework/framework-spans.js';
export { instrumentLangChain, observerHandler } from './instrument.js';
export type { LangChainOptions } from './options.js';
export type { ObserverHandler } from './tracing/handler.js';
