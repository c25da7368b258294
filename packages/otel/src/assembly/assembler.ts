import {
  HookMeta,
  type HookRecord,
  type HrTime,
  type Payload,
  parseUnixNano,
  snapshot,
  type TraceContext,
} from '@hermes-observer/core';
import { onApprovalEnd, onApprovalStart } from './approval.js';
import { onChildStart, onChildStop } from './child.js';
import {
  type ClockLimits,
  type ClosedDecision,
  DEFAULT_CLOCK,
  dueDecisions,
  silenceOfArrivals,
  silenceSince,
} from './clock.js';
import { closeTrace, cut } from './closing.js';
import { closeTraces, onClockDecision, onOther } from './decision.js';
import { object, text } from './fields.js';
import { onHumanInputEnd, onHumanInputStart } from './human-input.js';
import type { Invocation } from './invocation.js';
import { type AssemblyLimits, DEFAULT_LIMITS } from './limits.js';
import { onRequestEnd, onRequestStart } from './request.js';
import { beginRestore, endRestore } from './restore.js';
import { type SavedAssembly, saveAssembly } from './saved-assembly.js';
import type { AnyNode, IncompleteReason } from './span-node.js';
import type { SpanSink } from './span-sink.js';
import { AssemblyState } from './state.js';
import type { AssemblyStats } from './stats.js';
import { onPolicyDecision, onToolEnd, onToolStart, onToolTransform } from './tool.js';
import type { Trace } from './trace.js';
import type { TraceWatch } from './trace-watch.js';
import { onPostLlmCall, onPreLlmCall, onSessionBoundary, onSessionEnd } from './turn.js';

/** Names a span by the ids that its records carried. */
export interface SpanIds {
  readonly turnId: string;
  readonly toolCallId?: string | undefined;
  readonly requestId?: string | undefined;
}

type HookHandler = (state: AssemblyState, payload: Payload, meta: HookMeta) => void;

/** What a hook does to the spans. One that is neither here nor in `dispatch` makes none. */
const HANDLERS: ReadonlyMap<string, HookHandler> = new Map<string, HookHandler>([
  ['pre_llm_call', onPreLlmCall],
  ['post_llm_call', onPostLlmCall],
  ['on_session_end', onSessionEnd],
  ['on_session_finalize', onSessionBoundary],
  ['on_session_reset', onSessionBoundary],
  ['api_request_error', (state, payload, meta) => onRequestEnd(state, 'request', payload, meta)],
  ['pre_auxiliary_call', (state, payload, meta) => onRequestStart(state, 'auxiliary', payload, meta)],
  ['post_auxiliary_call', (state, payload, meta) => onRequestEnd(state, 'auxiliary', payload, meta)],
  ['transform_tool_result', onToolTransform],
  ['subagent_start', onChildStart],
  ['subagent_stop', onChildStop],
  ['pre_approval_request', onApprovalStart],
  ['post_approval_response', onApprovalEnd],
  ['on_human_input_request', onHumanInputStart],
  ['on_human_input_resolved', onHumanInputEnd],
  ['observer_policy_decision', onPolicyDecision],
  ['observer_closed', onClockDecision],
  // A judgement says nothing of whether its turn is alive.
  ['observer_evaluation', () => {}],
]);

/** The four hooks that most records are of are told apart by a comparison, which costs less than a look into the table. */
function dispatch(state: AssemblyState, payload: Payload, meta: HookMeta): void {
  switch (meta.hook) {
    case 'pre_tool_call':
      onToolStart(state, payload, meta);
      break;
    case 'post_tool_call':
      onToolEnd(state, payload, meta);
      break;
    case 'pre_api_request':
      onRequestStart(state, 'request', payload, meta);
      break;
    case 'post_api_request':
      onRequestEnd(state, 'request', payload, meta);
      break;
    default: {
      const handler = HANDLERS.get(meta.hook) ?? onOther;
      handler(state, payload, meta);
    }
  }
}

/** OTLP times are 64 bits of nanoseconds, and 0 means none. */
const LAST_SECOND = 18_446_744_073;

const isUsable = (time: HrTime) => time[0] < LAST_SECOND && (time[0] > 0 || time[1] > 0);

function withUsableTime({ hook, time, producer, seq, traceContext, profile }: HookMeta): HookMeta {
  const usable: HrTime = time[0] >= LAST_SECOND ? [LAST_SECOND - 1, 999_999_999] : [0, 1];
  return new HookMeta(hook, usable, producer, seq, traceContext, profile);
}

const NO_FIELDS: Payload = Object.freeze({});

/** A copy that does not throw. Words that stand in it for what cannot be read are no ids: it would name other spans than before. */
function readable(payload: Payload): Payload {
  const copy = object(snapshot(payload)) ?? NO_FIELDS;
  const idOf = (name: string): unknown => {
    try {
      return payload[name];
    } catch {
      return undefined;
    }
  };
  return Object.fromEntries(
    Object.entries(copy).map(([name, value]) => [name, name.endsWith('_id') ? text(idOf(name)) : value]),
  );
}

/**
 * Turns hook calls into what opens, nests and ends. Pure: no clock, no timer, no OpenTelemetry; the same records give
 * the same calls of the sink. Work per record does not grow with what is open. Never throws.
 */
export class Assembler {
  readonly #state: AssemblyState;

  /** `ownCaller` is the context that the program itself was called in: its first turn hangs under it. */
  constructor(sink: SpanSink, limits: Partial<AssemblyLimits> = {}, ownCaller?: TraceContext) {
    this.#state = new AssemblyState(sink, { ...DEFAULT_LIMITS, ...limits }, (invocation) =>
      this.#closeOldestSpan(invocation),
    );
    this.#state.ownCaller = ownCaller;
  }

  /** Takes one hook call. `meta.hook` names it. */
  handle(payload: Payload, meta: HookMeta): void {
    try {
      this.#handle(payload, meta);
    } catch {
      this.#state.stats.faults++;
    }
  }

  #handle(payload: Payload, meta: HookMeta): void {
    const state = this.#state;
    state.stats.records++;
    if (!state.sequences.isNew(meta.producer, meta.seq)) {
      state.stats.duplicates++;
      return;
    }
    const at = isUsable(meta.time) ? meta : withUsableTime(meta);
    try {
      dispatch(state, payload, at);
    } catch {
      // A payload that throws when read: its safe copy does not.
      try {
        dispatch(state, readable(payload), at);
      } catch {
        state.stats.faults++;
      }
    }
    if (state.hasTooManyTraces) this.#closeSilentTraces();
  }

  /** Takes a record as it stands in a recording. Unusable times count as the start of the epoch. */
  handleRecord(record: HookRecord): void {
    const { hook, time_unix_nano, producer, seq, trace_context, profile } = record ?? NO_FIELDS;
    const time = parseUnixNano(time_unix_nano) ?? [0, 0];
    this.handle(record?.payload, new HookMeta(hook, time, producer, seq, trace_context, profile));
  }

  /** Closes everything that is open, as if the clock had decided so: at the end of a replay, at shutdown. */
  closeAll(reason: IncompleteReason = 'shutdown'): void {
    closeTraces(this.#state, reason, () => true);
  }

  /** What the clock would decide now, as payloads of `observer_closed`; nothing is closed until they are handled. */
  due(now: HrTime, limits: ClockLimits = DEFAULT_CLOCK): ClosedDecision[] {
    return dueDecisions(this.#state, silenceSince(now), limits);
  }

  /** The same by when records came in, see `watch.arrival`. */
  dueByArrival(arrival: number, limits: ClockLimits = DEFAULT_CLOCK): ClosedDecision[] {
    return dueDecisions(this.#state, silenceOfArrivals(arrival), limits);
  }

  get watch(): TraceWatch {
    return this.#state.watch;
  }

  /** What a recovery needs beside the records of the traces for which `isReplayed`; see `restore.ts`. */
  save(isReplayed: (trace: Trace) => boolean): SavedAssembly {
    return saveAssembly(this.#state, isReplayed);
  }

  /** Begins a recovery: the records of the replayed traces are to be handled next, in their order. */
  beginRestore(saved: SavedAssembly): void {
    beginRestore(this.#state, saved);
  }

  /** Ends it: all is as it was when it was saved. */
  endRestore(saved: SavedAssembly): void {
    endRestore(this.#state, saved);
  }

  /** The span of a turn or child, or of a tool call or request in it, while it is known. */
  find({ turnId, toolCallId, requestId }: SpanIds): AnyNode | undefined {
    const invocation = this.#state.invocations.byTurn(turnId);
    if (invocation === undefined) return undefined;
    const scope = invocation.scope(turnId);
    if (toolCallId !== undefined) return scope.tools?.get(toolCallId);
    if (requestId !== undefined) return scope.requests?.get(requestId) ?? invocation.base.auxiliary?.get(requestId);
    return invocation.node;
  }

  get stats(): Readonly<AssemblyStats> {
    const { stats, sequences, sessions, invocations } = this.#state;
    return {
      ...stats,
      missing: sequences.missing,
      forgottenTurns: invocations.forgotten,
      forgottenSessions: sessions.forgotten,
      forgottenProducers: sequences.forgotten,
    };
  }

  /** Spans started and not ended. */
  get openSpans(): number {
    let open = 0;
    for (const trace of this.#state.openTraces) open += trace.openSpans;
    return open;
  }

  /** Producers that traces with open spans began with. */
  get openProducers(): ReadonlySet<string> {
    const producers = new Set<string>();
    for (const { producer } of this.#state.openTraces) producers.add(producer);
    return producers;
  }

  get openTraces(): number {
    return this.#state.openTraces.size;
  }

  /** Second chance: a trace that had a record since the last look goes to the back, once. */
  #closeSilentTraces(): void {
    const { openTraces, limits, stats } = this.#state;
    this.#state.hasTooManyTraces = false;
    while (openTraces.size > limits.maxOpenTraces) {
      const [oldest] = openTraces;
      if (oldest === undefined) return;
      if (oldest.active) {
        oldest.active = false;
        openTraces.delete(oldest);
        openTraces.add(oldest);
      } else {
        stats.closedByTraceLimit++;
        closeTrace(this.#state, oldest, 'idle_timeout');
      }
    }
  }

  #closeOldestSpan(invocation: Invocation): void {
    for (let node = invocation.firstOpen; node !== undefined; node = node.after) {
      if (node === invocation.node) continue;
      this.#state.stats.closedBySpanLimit++;
      cut(this.#state, node as AnyNode, invocation.last, 'idle_timeout');
      return;
    }
  }
}
