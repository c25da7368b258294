/** Bounds on what assembly keeps. What they close, and the turns, sessions and producers they forget, is in `AssemblyStats`. */
export interface AssemblyLimits {
  /** Traces with open spans, over all sessions. One that was silent since the last look is closed first. @default 4096 */
  readonly maxOpenTraces: number;
  /** Turns open at once in one session; the oldest is closed first. @default 16 */
  readonly maxOpenTurnsPerSession: number;
  /** Open spans of one turn or child; the oldest is closed first. @default 10000 */
  readonly maxOpenSpansPerTurn: number;
  /** Children open at once in one trace; the oldest is closed first. @default 10000 */
  readonly maxOpenChildrenPerTrace: number;
  /** Ended requests and tool calls of one turn that are remembered, so that a repeated end changes nothing. @default 10000 */
  readonly maxKeysPerTurn: number;
  /** How long a closed turn's spans are found by late records, in milliseconds of record time. @default 600000 */
  readonly lateWindowMillis: number;
  /** Closed turns that are remembered at all. @default 10000 */
  readonly maxClosedTurns: number;
  /** Sessions whose last turn is remembered, to link the next one to it. @default 10000 */
  readonly maxSessions: number;
  /** Producers whose sequence numbers are remembered. @default 1000 */
  readonly maxProducers: number;
}

export const DEFAULT_LIMITS: AssemblyLimits = {
  maxOpenTraces: 4096,
  maxOpenTurnsPerSession: 16,
  maxOpenSpansPerTurn: 10_000,
  maxOpenChildrenPerTrace: 10_000,
  maxKeysPerTurn: 10_000,
  lateWindowMillis: 600_000,
  maxClosedTurns: 10_000,
  maxSessions: 10_000,
  maxProducers: 1_000,
};
