import type { TurnRow } from './turn-row.js';

/** What a span is. */
export const KIND = { turn: 0, child: 1, request: 2, auxiliary: 3, tool: 4, approval: 5, human: 6, other: 7 } as const;

/** Bits of `flags`. */
export const FLAG = {
  error: 1,
  blocked: 2,
  cancelled: 4,
  timeout: 8,
  running: 16,
  incomplete: 32,
  retried: 64,
  background: 128,
  clockFault: 256,
} as const;

/** Where time goes; the numbers of `segments` are indices of this list. */
export const PARTS = ['model', 'tools', 'human', 'children', 'waiting', 'agent'] as const;
export type Part = (typeof PARTS)[number];

/** Spans as columns. Texts are numbers of `texts`, -1 for none; times are ns from `base`, `end` -1 while it runs. */
export interface SpanColumns {
  readonly id: readonly string[];
  readonly parent: readonly number[];
  readonly name: readonly number[];
  readonly kind: readonly number[];
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly flags: readonly number[];
  readonly who: readonly number[];
  readonly label: readonly number[];
}

/** `[span, from, to, part]`: in this stretch the turn waited for this span; span -1 where there was none. */
export type PathSegment = readonly [number, number, number, number];

export interface CriticalPath {
  /** Nanoseconds; they sum to the duration. */
  readonly parts: Readonly<Record<Part, number>>;
  readonly segments: readonly PathSegment[];
}

export interface TurnLink {
  readonly relation: string;
  readonly trace: string;
  readonly span: string;
}

/** Answer of `GET /api/turns/:trace`. */
export interface TurnAnswer {
  readonly row: TurnRow;
  /** Unix nanoseconds, decimal. */
  readonly base: string;
  /** Version of the turn that this shows. */
  readonly at?: number;
  readonly texts: readonly string[];
  readonly spans: SpanColumns;
  readonly path: CriticalPath;
  readonly links: readonly TurnLink[];
  readonly incomplete: readonly string[];
}
