export { type SessionInfo, withSession } from '@hermes-observer/adapter';
export { instrumentOpenAIAgents } from './instrument.js';
export type { FrameworkSpans, OpenAIAgentsModule, OpenAIAgentsOptions } from './options.js';
