import type { PartList, SpanFlags, SpanKinds } from '../../../cli/src/wire.js';

export type {
  ChangedSpans,
  CriticalPath,
  PackedPath,
  PackedSpans,
  PackedTurn,
  PartName as Part,
  PathSegment,
  SpanColumns,
  TurnAnswer,
  TurnChange,
  TurnLink,
  TurnReload,
} from '../../../cli/src/wire.js';

/** What a span is. */
export const KIND: SpanKinds = {
  turn: 0,
  child: 1,
  request: 2,
  auxiliary: 3,
  tool: 4,
  approval: 5,
  human: 6,
  other: 7,
};

/** Bits of `flags`. */
export const FLAG: SpanFlags = {
  error: 1,
  blocked: 2,
  cancelled: 4,
  timeout: 8,
  running: 16,
  incomplete: 32,
  retried: 64,
  background: 128,
  clockFault: 256,
};

/** Where time goes; the numbers of `segments` are indices of this list. */
export const PARTS: PartList = ['model', 'tools', 'human', 'children', 'waiting', 'agent'];
