import type { HrTime } from '@hermes-observer/core';
import type { Invocation } from './invocation.js';
import type { SavedNumbers } from './sequence.js';
import type { SpanNode, TurnKind } from './span-node.js';
import type { AssemblyState } from './state.js';
import type { AssemblyStats } from './stats.js';
import type { RootContext, Trace } from './trace.js';

/** A turn or child that was closed. */
export interface SavedInvocation {
  readonly kind: 'turn' | 'child';
  readonly id: string;
  readonly source: string;
  readonly producer: string;
  readonly turnIds: readonly string[];
  readonly sessions: readonly string[];
  readonly task?: string;
  readonly agent?: string;
  readonly turnKind: TurnKind;
  readonly closedAt: HrTime;
  readonly isExpired: boolean;
  /** Its records are replayed; else it is known by what stands here alone. */
  readonly isReplayed: boolean;
  readonly span: unknown;
}

export interface SavedSession {
  readonly id: string;
  readonly hadTurns: boolean;
  /** Its last user turn: the id of one that is known, or all of one that is not. */
  readonly last?: string | SavedInvocation;
  readonly lastApprovalEnd?: HrTime;
}

/** A trace whose records are replayed, or that goes on below a root of which only the context is known. */
export interface SavedTrace {
  readonly source: string;
  readonly isOpen: boolean;
  /** Ids of its open spans. */
  readonly open: readonly string[];
  readonly root?: RootContext;
  /** Open turns that something waits to close. */
  readonly waits: readonly (readonly [turnId: string, waits: 'next_turn' | 'session_finalized'])[];
}

/**
 * What assembly knows, as JSON can hold it, without what follows from the records of the traces that are replayed. No
 * content is in it.
 */
export interface SavedAssembly {
  readonly numbers: readonly SavedNumbers[];
  /** The longest closed first. */
  readonly closed: readonly SavedInvocation[];
  readonly sessions: readonly SavedSession[];
  readonly traces: readonly SavedTrace[];
  /** Records without any number or owner, by producer: what the ids of further ones count on from. */
  readonly strays: readonly (readonly [producer: string, count: number])[];
  readonly stats: AssemblyStats;
}

export function saveAssembly(state: AssemblyState, isReplayed: (trace: Trace) => boolean): SavedAssembly {
  const { closed } = state.invocations;
  const save = (invocation: Invocation) => saveInvocation(state, invocation, isReplayed(invocation.trace));
  const sessions: SavedSession[] = [];
  for (const { id, hadTurns, lastUserTurn, lastApprovalEnd } of state.sessions.all()) {
    const isKnown = lastUserTurn !== undefined && state.invocations.byTurn(lastUserTurn.id) === lastUserTurn;
    sessions.push({
      id,
      hadTurns,
      ...(lastUserTurn === undefined ? {} : { last: isKnown ? lastUserTurn.id : save(lastUserTurn) }),
      ...(lastApprovalEnd === undefined ? {} : { lastApprovalEnd }),
    });
  }
  const traces = new Map<string, SavedTrace>();
  for (const trace of state.openTraces) traces.set(trace.source, saveTrace(state, trace));
  for (const { trace } of closed) {
    if (isReplayed(trace) && !traces.has(trace.source)) traces.set(trace.source, saveTrace(state, trace));
  }
  return {
    numbers: state.sequences.save(),
    closed: closed.map(save),
    sessions,
    traces: [...traces.values()],
    strays: [...state.strays].map(([producer, scope]) => [producer, scope.strays]),
    stats: { ...state.stats },
  };
}

function saveTrace({ sink }: AssemblyState, trace: Trace): SavedTrace {
  const { source, openSpans, root, invocations } = trace;
  const waits: [string, 'next_turn' | 'session_finalized'][] = [];
  for (const turn of invocations)
    if (turn.kind === 'turn' && turn.waits !== undefined) waits.push([turn.id, turn.waits]);
  const open: string[] = [];
  for (const node of openNodes(trace)) {
    const id = sink.idOf?.(node);
    if (id !== undefined) open.push(id);
  }
  return { source, isOpen: openSpans > 0, open, waits, ...(root === undefined ? {} : { root }) };
}

/** All open spans of a trace. */
export function* openNodes({ invocations }: Trace): Generator<SpanNode, void, void> {
  for (const invocation of invocations) {
    for (let node = invocation.firstOpen; node !== undefined; node = node.after) yield node;
  }
}

function saveInvocation(state: AssemblyState, invocation: Invocation, isReplayed: boolean): SavedInvocation {
  const { id, trace, producer, turnIds, sessions, task, turnKind, node, closedAt, expired, last } = invocation;
  return {
    kind: invocation.kind === 'child' ? 'child' : 'turn',
    id,
    source: trace.source,
    producer,
    turnIds,
    sessions,
    ...(task === undefined ? {} : { task }),
    ...(node?.kind === 'child' && node.agentId !== undefined ? { agent: node.agentId } : {}),
    turnKind,
    closedAt: closedAt ?? last,
    isExpired: expired,
    isReplayed,
    span: node === undefined ? undefined : state.sink.save?.(node),
  };
}
