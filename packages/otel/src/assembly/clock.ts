import { type HrTime, millisBetween } from '@hermes-observer/core';
import type { Invocation } from './invocation.js';
import type { AnyNode, IncompleteReason } from './span-node.js';
import type { AssemblyState } from './state.js';
import type { Trace } from './trace.js';

/** How long a live agent is waited for, in milliseconds. */
export interface ClockLimits {
  /** A turn that was superseded, finalized with its session, or died of a request that cannot be retried. @default 60000 */
  readonly settleMillis: number;
  /** A trace of which nothing is heard. @default 1800000 (30 min) */
  readonly idleMillis: number;
  /** A trace that waits for a person. @default 86400000 (24 h) */
  readonly personMillis: number;
}

export const DEFAULT_CLOCK: ClockLimits = { settleMillis: 60_000, idleMillis: 1_800_000, personMillis: 86_400_000 };

/** The payload of an `observer_closed` record: a decision of the clock, to be recorded before it acts. */
export interface ClosedDecision {
  readonly scope: 'trace' | 'turn';
  /** Turn id (of the root), session of an unlinked child, or what the trace id of any other root is derived from. */
  readonly key: string;
  readonly reason: IncompleteReason;
}

/** How long nothing was heard of a trace or turn, in milliseconds. */
export type Silence = (of: Trace | Invocation) => number;

/** By the times of the records. */
export const silenceSince =
  (now: HrTime): Silence =>
  ({ last }) =>
    millisBetween(last, now);

/** By when the records came in: a clock that is set, or records that are sent late, make nothing seem silent. */
export const silenceOfArrivals =
  (arrival: number): Silence =>
  ({ heard }) =>
    arrival - heard;

/** What is due now. Looks at everything open, so it belongs on a timer, not on the path of a record. */
export function dueDecisions(state: AssemblyState, silence: Silence, limits: ClockLimits): ClosedDecision[] {
  const due: ClosedDecision[] = [];
  for (const trace of state.openTraces) {
    if (silence(trace) >= patience(trace, limits)) {
      due.push({ scope: 'trace', key: keyOf(trace), reason: 'idle_timeout' });
      continue;
    }
    for (const turn of trace.invocations) {
      const reason = settledReason(turn);
      if (reason === undefined || silence(turn) < limits.settleMillis) continue;
      due.push({ scope: 'turn', key: turn.id, reason });
    }
  }
  return due;
}

/** Why a turn counts as over once nothing more comes of it; one that still runs something is left to the idle time. */
function settledReason(turn: Invocation): IncompleteReason | undefined {
  if (turn.kind !== 'turn' || turn.closedAt !== undefined) return undefined;
  if (turn.diedForGood && !hasOpenTool(turn)) return turn.waits ?? 'idle_timeout';
  return turn.openSpans === 1 ? turn.waits : undefined;
}

function hasOpenTool(turn: Invocation): boolean {
  for (let node = turn.lastOpen; node !== undefined; node = node.before) if (node.kind === 'tool') return true;
  return false;
}

function patience(trace: Trace, limits: ClockLimits): number {
  for (const invocation of trace.invocations) {
    for (let node = invocation.lastOpen; node !== undefined; node = node.before) {
      const { kind } = node as AnyNode;
      if (kind === 'approval' || kind === 'human_input') return limits.personMillis;
    }
  }
  return limits.idleMillis;
}

/** A root is known by its turn or session; one that has neither by its source. */
function keyOf({ source }: Trace): string {
  const [kind, id = ''] = source.split('\0');
  return kind === 'record' ? source : id;
}
