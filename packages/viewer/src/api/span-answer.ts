export type { Attributes, SpanAnswer, SpanEvent, SpanLink } from '../../../cli/src/wire.js';
