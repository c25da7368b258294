import type { HookMeta, HrTime, Payload, TraceContext } from '@hermes-observer/core';
import { compareTime } from '@hermes-observer/core';
import { text } from './fields.js';
import { Invocation, TurnScope } from './invocation.js';
import { InvocationIndex } from './invocation-index.js';
import type { AssemblyLimits } from './limits.js';
import { restoreRoot } from './saved-root.js';
import { SequenceIndex } from './sequence.js';
import { SessionIndex } from './session.js';
import type { AnyNode, ToolNode } from './span-node.js';
import type { SpanSink } from './span-sink.js';
import { type AssemblyStats, newStats } from './stats.js';
import { type RootContext, Trace } from './trace.js';
import { TraceWatch } from './trace-watch.js';

/** Everything assembly knows, and the few moves that all its parts share. */
export class AssemblyState {
  readonly sink: SpanSink;
  readonly limits: AssemblyLimits;
  readonly stats: AssemblyStats = newStats();
  readonly sequences: SequenceIndex;
  readonly sessions: SessionIndex;
  readonly invocations: InvocationIndex;
  /** Traces with open spans, in order of their first record. */
  readonly openTraces = new Set<Trace>();
  /** Open `execute_code` calls by producer: what a nested call without any id can belong to. */
  readonly openCode = new Map<string, Set<ToolNode>>();
  /** Keys of spans whose records name no turn, session, task or child, by producer. */
  readonly strays = new Map<string, TurnScope>();
  readonly watch = new TraceWatch();
  /** During a recovery: what is known of roots by the source of their trace. */
  savedRoots: ReadonlyMap<string, RootContext> | undefined = undefined;
  /** Set when a trace too many was opened; whoever handles records closes one then. */
  hasTooManyTraces = false;
  /** Context of the program's own caller; the first turn that names none takes it. */
  ownCaller: TraceContext | undefined = undefined;
  #forgottenStrays = 0;
  readonly #onSpanLimit: (invocation: Invocation) => void;

  /** `onSpanLimit` closes the oldest open span of an invocation that has too many. */
  constructor(sink: SpanSink, limits: AssemblyLimits, onSpanLimit: (invocation: Invocation) => void) {
    this.sink = sink;
    this.#onSpanLimit = onSpanLimit;
    this.limits = limits;
    this.sequences = new SequenceIndex(limits.maxProducers);
    this.sessions = new SessionIndex(limits.maxSessions);
    this.invocations = new InvocationIndex(limits);
  }

  /** Starts a span and lists it as open. */
  open(node: AnyNode, payload: Payload): void {
    const { invocation } = node;
    const { trace } = invocation;
    if (trace.openSpans === 0) {
      this.openTraces.add(trace);
      if (this.openTraces.size > this.limits.maxOpenTraces) this.hasTooManyTraces = true;
    }
    invocation.addOpen(node);
    if (node.parent === undefined) this.#rootOpened(node);
    if (node.kind === 'human_input' && node.held) node.request = payload;
    else this.sink.start(node, payload);
    // A link serves the start alone; kept, it would hold every turn of a session by the next one.
    if (node.kind === 'turn' || node.kind === 'child') node.link = undefined;
    if (invocation.openSpans > this.limits.maxOpenSpansPerTurn) this.#onSpanLimit(invocation);
  }

  #rootOpened(node: AnyNode): void {
    const { trace } = node.invocation;
    const saved = this.savedRoots?.get(trace.source);
    if (saved !== undefined) restoreRoot(node, saved, this.sink);
    if (trace.root !== undefined) return;
    const link = node.kind === 'turn' || node.kind === 'child' ? node.link : undefined;
    trace.root = {
      ordinal: node.ordinal,
      missingBefore: trace.missingBefore,
      turnKind: node.kind === 'turn' ? node.turnKind : undefined,
      link: link === undefined ? undefined : { relation: link.relation, to: this.sink.save?.(link.to) },
    };
  }

  newTrace(source: string, producer: string, start: HrTime, caller: TraceContext | undefined): Trace {
    const trace = new Trace(source, producer, start, caller, this.watch);
    trace.missingBefore = this.sequences.missingBefore(producer);
    return trace;
  }

  /** Ends an open span; a second end changes nothing. */
  end(node: AnyNode, time: HrTime, payload: Payload | undefined): void {
    if (node.end !== undefined) return;
    this.watch.trace ??= node.invocation.trace;
    node.end = compareTime(time, node.start) < 0 ? node.start : time;
    const { invocation } = node;
    if (node.parent === undefined && (node.kind === 'turn' || node.kind === 'child')) {
      const { producer, missingBefore } = invocation.trace;
      node.missing = this.sequences.missingOf(producer) - missingBefore;
    }
    invocation.removeOpen(node);
    if (invocation.trace.openSpans === 0) this.openTraces.delete(invocation.trace);
    if (node.kind === 'human_input' && node.held) {
      if (node.covered) return;
      this.sink.start(node, node.request ?? {});
      node.request = undefined;
    }
    this.sink.end(node, payload);
  }

  /** The keys of a producer's spans without ids. */
  strayScope(producer: string): TurnScope {
    let scope = this.strays.get(producer);
    if (scope === undefined) {
      scope = new TurnScope('');
      scope.strays = this.#forgottenStrays;
      this.strays.set(producer, scope);
      if (this.strays.size > this.limits.maxProducers) {
        const [oldest] = this.strays;
        if (oldest !== undefined) {
          this.strays.delete(oldest[0]);
          this.#forgottenStrays = Math.max(this.#forgottenStrays, oldest[1].strays);
        }
      }
    }
    return scope;
  }

  /** A trace of its own for a record that names nothing it could belong to. */
  newStray(meta: HookMeta, start: HrTime, payload: Payload): Invocation {
    const producer = meta.producer ?? '';
    // Without a number of its producer's, a record's place among its like is all that tells it apart.
    const own = meta.producer === undefined ? undefined : meta.seq;
    const name = producer.replaceAll('\0', '\u2400');
    const source = `record\0${name}\0${own ?? `#${++this.strayScope(producer).strays}`}`;
    const trace = this.newTrace(source, producer, start, meta.traceContext);
    const stray = new Invocation('stray', '', trace, producer, start);
    stray.profile = meta.profile;
    const session = text(payload.session_id);
    if (session !== undefined) stray.sessions = [session];
    return stray;
  }
}

/** The session of a span: the record's own, else the first of its invocation. */
export function sessionOf(invocation: Invocation, session: string | undefined): string | undefined {
  return session ?? invocation.sessions[0];
}

/** The turn of a span: the record's own, else that of its invocation. */
export function turnOf(invocation: Invocation, turnId: string | undefined): string | undefined {
  return turnId ?? (invocation.kind === 'turn' ? invocation.id : invocation.node?.turnId);
}
