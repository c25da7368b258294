import { closeInvocation, closeTrace, cut, keepNone } from './closing.js';
import { Invocation } from './invocation.js';
import { openNodes, type SavedAssembly, type SavedInvocation } from './saved-assembly.js';
import { type AnyNode, ChildNode, TurnNode } from './span-node.js';
import type { AssemblyState } from './state.js';
import type { RootContext, Trace } from './trace.js';

/**
 * A recovery: what is saved, and the records of the traces that were open, give the state that was saved.
 *
 * 1. What has open spans below a root that is not replayed gets that root by its ids.
 * 2. The caller has the records of the replayed traces handled. Spans they end were written before.
 * 3. What other traces' records had done to these is done to them: links of roots as they open, the rest at the end.
 *    Closed turns and children that are not replayed are known by their ids.
 */
export function beginRestore(state: AssemblyState, saved: SavedAssembly): void {
  const roots = new Map<string, RootContext>();
  for (const { source, root } of saved.traces) if (root !== undefined) roots.set(source, root);
  state.savedRoots = roots;
  const goesOn = new Set(saved.traces.filter(({ isOpen }) => isOpen).map(({ source }) => source));
  const traces = new Map<string, Trace>();
  for (const closed of saved.closed) {
    if (!closed.isReplayed && goesOn.has(closed.source)) state.invocations.restore(stub(state, closed, traces));
  }
}

export function endRestore(state: AssemblyState, saved: SavedAssembly): void {
  state.savedRoots = undefined;
  const open = new Map(saved.traces.filter(({ isOpen }) => isOpen).map((trace) => [trace.source, trace]));
  const traces = new Map<string, Trace>();
  for (const closed of saved.closed) {
    if (closed.isReplayed) closeAgain(state, closed);
    else if (!open.has(closed.source)) {
      const known = stub(state, closed, traces);
      // Without its keys a repeated end would make a second span of the same id.
      known.expired = true;
      state.invocations.restore(known);
    }
  }
  for (const trace of [...state.openTraces]) {
    const known = open.get(trace.source);
    if (known === undefined) closeTrace(state, trace, 'shutdown');
    else endAgain(state, trace, new Set(known.open));
  }
  for (const { waits } of open.values()) {
    const asSaved = new Map(waits);
    for (const id of asSaved.keys()) {
      const turn = state.invocations.byTurn(id);
      if (turn !== undefined) turn.waits = asSaved.get(id);
    }
  }
  for (const { id, hadTurns, last, lastApprovalEnd } of saved.sessions) {
    const session = state.sessions.get(id);
    session.hadTurns = hadTurns;
    session.lastApprovalEnd = lastApprovalEnd;
    session.lastUserTurn =
      last === undefined || typeof last === 'string' ? state.invocations.byTurn(last) : stub(state, last, new Map());
  }
  for (const [producer, count] of saved.strays) state.strayScope(producer).strays = count;
  state.sequences.restore(saved.numbers);
  Object.assign(state.stats, saved.stats);
}

/** What had ended ends again, whatever record of another trace had ended it: no span may come a second time. */
function endAgain(state: AssemblyState, trace: Trace, open: ReadonlySet<string>): void {
  for (const node of [...openNodes(trace)]) {
    const id = state.sink.idOf?.(node);
    const isOwn = node === node.invocation.node;
    if (id !== undefined && !isOwn && !open.has(id)) cut(state, node as AnyNode, node.invocation.last, 'shutdown');
  }
}

/** All that is left of a closed turn or child: its ids, and where its span was. */
function stub(state: AssemblyState, saved: SavedInvocation, traces: Map<string, Trace>): Invocation {
  const { kind, id, source, producer, closedAt } = saved;
  let trace = traces.get(source);
  if (trace === undefined) {
    trace = state.newTrace(source, producer, closedAt, undefined);
    traces.set(source, trace);
  }
  const invocation = new Invocation(kind, id, trace, producer, closedAt);
  invocation.turnIds = saved.turnIds;
  invocation.sessions = saved.sessions;
  invocation.task = saved.task;
  invocation.turnKind = saved.turnKind;
  invocation.closedAt = closedAt;
  invocation.expired = saved.isExpired;
  const place = [invocation, undefined, closedAt, saved.sessions[0], kind === 'turn' ? id : undefined, 0] as const;
  const node = kind === 'turn' ? new TurnNode(...place) : new ChildNode(...place);
  if (node.kind === 'child') node.agentId = saved.agent;
  node.end = closedAt;
  node.span = state.sink.restore?.(saved.span);
  invocation.node = node;
  return invocation;
}

/** One that a record of another trace had closed is open again after the replay. */
function closeAgain(state: AssemblyState, { kind, id, source, agent, closedAt, isExpired }: SavedInvocation): void {
  const { invocations } = state;
  const known = kind === 'turn' ? invocations.byTurn(id) : invocations.child(id, agent ?? id);
  // Agents and sessions may be used again.
  if (known?.id !== id || known.trace.source !== source) return;
  if (known.closedAt === undefined) closeInvocation(state, known, closedAt, 'shutdown', undefined, keepNone);
  if (isExpired) known.expire();
}
