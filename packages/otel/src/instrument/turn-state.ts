import {
  type EmitMeta,
  type Failure,
  failureOf,
  idOf,
  newId,
  type Payload,
  type TraceContext,
} from '@hermes-observer/core';
import { AbortReasons } from './abort-reasons.js';
import type { InstrumentationHost } from './host.js';
import { eitherSignal, signalOf } from './signals.js';
import type { TurnInfo } from './turn-info.js';

/** What the parts of one turn share. */
export class TurnState {
  readonly host: InstrumentationHost;
  readonly info: TurnInfo;
  readonly sessionId: string;
  readonly taskId: string;
  readonly turnId: string;
  /** Of a subagent: its id. */
  readonly agentId: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Whoever called the turn; goes out with its first hook. */
  readonly caller: TraceContext | undefined;
  readonly #meta: EmitMeta | undefined;
  /** Requests begun, and those of them not ended. */
  requests = 0;
  openRequests = 0;
  lastRequestId: string | undefined = undefined;
  /** Why the last answer ended. */
  finishReason: string | undefined = undefined;
  /** The turn's answer to the user, as far as it is text. */
  answer: string | undefined = undefined;
  readonly #abortReasons: AbortReasons;
  readonly #openCalls = new Set<string>();
  readonly #unfinished = new Set<() => void>();

  /** `agentId` is that of a subagent; a turn of its own has a `caller` instead. */
  constructor(host: InstrumentationHost, info: TurnInfo, agentId?: string, caller?: TraceContext, parent?: TurnState) {
    this.#abortReasons = parent === undefined ? new AbortReasons() : parent.#abortReasons;
    this.host = host;
    this.info = info;
    this.agentId = agentId;
    this.caller = caller;
    this.#meta = info.profile === undefined ? undefined : { profile: info.profile };
    this.sessionId = idOf(info.sessionId) ?? newId('session_');
    this.taskId = agentId ?? idOf(info.taskId) ?? this.sessionId;
    this.turnId = newId(`${this.sessionId}:${this.taskId}:`);
    this.signal = signalOf(info.signal);
  }

  /** The ids that each record of the turn carries. */
  ids() {
    return { session_id: this.sessionId, task_id: this.taskId, turn_id: this.turnId };
  }

  /** Tells the hub. The payload is built only where someone listens; one that cannot be built is the hub's to report. */
  emit(hook: string, payload: () => Payload): void {
    this.host.hub.emit(hook, payload, this.#meta);
  }

  /** The first hook, which says who called. */
  emitFirst(hook: string, payload: () => Payload): void {
    const { caller } = this;
    this.host.hub.emit(hook, payload, caller === undefined ? this.#meta : { ...this.#meta, traceContext: caller });
  }

  /** The turn's signal and the one of a part of it. */
  signalWith(own: unknown): AbortSignal | undefined {
    try {
      return eitherSignal(this.signal, signalOf(own));
    } catch {
      return this.signal;
    }
  }

  /**
   * What was thrown in the turn, or in the part of it that has this signal. The reason of a part that was called off is an
   * abort wherever it is thrown again. One that ran out of time is not: nobody called that off.
   */
  failureOf(error: unknown, signal: AbortSignal | undefined): Failure {
    const failure = failureOf(error, signal);
    if (!failure.aborted) return this.#abortReasons.has(error) ? { ...failure, aborted: true } : failure;
    const isReason = signal?.aborted === true && signal.reason === error;
    if (isReason && failure.type !== 'TimeoutError') this.#abortReasons.add(error);
    return failure;
  }

  /** A call id that no running call of the turn has: some models number their calls from 0 in each answer. */
  takeCallId(wanted: unknown): string {
    const first = idOf(wanted) ?? newId('call_');
    let id = first;
    for (let n = 2; this.#openCalls.has(id); n++) id = `${first}:${n}`;
    this.#openCalls.add(id);
    return id;
  }

  releaseCallId(id: string): void {
    this.#openCalls.delete(id);
  }

  /** Has `close` called when the turn ends; returns the function that takes that back. */
  closeAtEnd(close: () => void): () => void {
    this.#unfinished.add(close);
    return () => this.#unfinished.delete(close);
  }

  closeUnfinished(): void {
    for (const close of this.#unfinished) close();
    this.#unfinished.clear();
  }
}
