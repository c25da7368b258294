export { instrumentClaude, observedQuery, withObserver } from './observe.js';
export type { ClaudeOptions } from './options.js';
export type { FrameworkSpans } from './sdk/own-spans.js';
