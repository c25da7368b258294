export { type SessionInfo, withSession } from '@hermes-observer/adapter';
export type { FrameworkSpans } from './framework-spans.js';
export { instrumentAiSdk } from './instrument.js';
export type { AiSdkOptions } from './options.js';
