/** What assembly counted since it was made. */
export interface AssemblyStats {
  records: number;
  /** Records with a (producer, seq) that had been seen. */
  duplicates: number;
  /** Sequence numbers that never came, over all producers. */
  missing: number;
  /** Turn ends that named no turn we know, or came while none was open. */
  unmatchedTurnEnds: number;
  /** Records that came too long after their turn was closed, and made nothing. */
  tooLate: number;
  /** Policy decisions about a tool call that is not open. */
  unplacedDecisions: number;
  /** Closed by a bound, not by a record. */
  closedByTraceLimit: number;
  closedBySessionLimit: number;
  closedBySpanLimit: number;
  /** Closed turns, sessions and producers that were let go of, since there were too many. */
  forgottenTurns: number;
  forgottenSessions: number;
  forgottenProducers: number;
  /** Records whose reading failed even on a safe copy of the payload. */
  faults: number;
}

export function newStats(): AssemblyStats {
  return {
    records: 0,
    duplicates: 0,
    missing: 0,
    unmatchedTurnEnds: 0,
    tooLate: 0,
    unplacedDecisions: 0,
    closedByTraceLimit: 0,
    closedBySessionLimit: 0,
    closedBySpanLimit: 0,
    forgottenTurns: 0,
    forgottenSessions: 0,
    forgottenProducers: 0,
    faults: 0,
  };
}
