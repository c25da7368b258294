export type { Play, ResumedPlay, TriedAdapter } from './conformance/adapter.js';
export { type ApprovalStyle, BEHAVIOURS, type Behaviour, SCRIPT } from './conformance/behaviours.js';
export { type ConformanceCase, conformanceCases } from './conformance/cases.js';
export { describeAdapter, type TestFunction } from './conformance/describe-adapter.js';
export { type Heard, heardBy } from './conformance/heard.js';
export { KeptSpans, PlayScene, type TestObserver } from './conformance/scene.js';
export { type EndedSpan, spanTree } from './conformance/span-tree.js';
